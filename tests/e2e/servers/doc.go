// SPDX-License-Identifier: Apache-2.0

// Package servers pins the real servers that the end-to-end tests run against (the tools in go.mod); build.sh makes them.
package servers
