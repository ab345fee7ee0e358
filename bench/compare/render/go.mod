module berth.dev/bench/compare/render

go 1.22
