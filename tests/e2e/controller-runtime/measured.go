// SPDX-License-Identifier: Apache-2.0

// Stands in the place of a server: runs the program of its own name in MEASURED_PROGRAMS with the same arguments, passes
// signals on to it, and adds a line to MEASURED_LOG that tells what it took.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// The memory is at least that of this program, as the kernel counts it from before the start.
type usage struct {
	Name      string  `json:"name"`
	CPU       float64 `json:"cpu_s"`
	MemoryKiB int64   `json:"memory_kib"`
}

func run(name string) (int, error) {
	// The kernel ends the program with the thread that started it.
	runtime.LockOSThread()
	command := exec.Command(filepath.Join(os.Getenv("MEASURED_PROGRAMS"), name), os.Args[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	if err := command.Start(); err != nil {
		return 0, err
	}
	parent := os.Getppid()
	go func() {
		for {
			select {
			case received := <-signals:
				command.Process.Signal(received)
			case <-time.After(time.Second):
				// A test that was killed stops nothing.
				if os.Getppid() != parent {
					command.Process.Kill()
				}
			}
		}
	}()
	var ended *exec.ExitError
	if err := command.Wait(); err != nil && !errors.As(err, &ended) {
		return 0, err
	}
	state := command.ProcessState
	line, err := json.Marshal(usage{name, (state.UserTime() + state.SystemTime()).Seconds(), state.SysUsage().(*syscall.Rusage).Maxrss})
	if err != nil {
		return 0, err
	}
	log, err := os.OpenFile(os.Getenv("MEASURED_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	_, err = log.Write(append(line, '\n'))
	return max(state.ExitCode(), 0), err
}

func main() {
	name := filepath.Base(os.Args[0])
	code, err := run(name)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		code = 1
	}
	os.Exit(code)
}
