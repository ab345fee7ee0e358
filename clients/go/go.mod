module berth.example/clients/go

go 1.24
