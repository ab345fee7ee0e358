// SPDX-License-Identifier: Apache-2.0

// Package kubernetes pins Kubernetes' own end-to-end suite; `run` builds and runs it.
package kubernetes
