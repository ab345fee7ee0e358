module berth/bench/up_load

go 1.26.0
