module berth.example/autoscaler

go 1.21
