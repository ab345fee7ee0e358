// SPDX-License-Identifier: Apache-2.0
// Entries of a kubeconfig that lead to a control plane of `berth up`: a cluster, a user and a context of one name.
//
// They are put into the text of a kubeconfig, which may be the user's own, and taken out again. Everything else in it
// stays: unknown fields, other contexts, the order of lists; as with kubectl, comments and the order of keys do not.
// The context carries an extension that says which process made it and which context was current before.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::up {

// How clients reach a control plane.
struct Access {
  std::string server;           // A URL.
  std::string ca_pem;           // Empty: no TLS.
  std::string tls_server_name;  // Empty: the certificate is valid for the URL.
  std::string token;            // Empty: none.
};

struct KubeconfigContext {
  std::string name;
  Access access;
  int64_t process = 0;  // Whose it is.
};

// The text with the context, which becomes the current one. An empty text becomes a whole kubeconfig. Fails if it is no
// kubeconfig, or has entries of this name that are not Berth's or are those of another process that runs.
Result<std::string> AddContext(std::string_view text, const KubeconfigContext& context,
                               const std::function<bool(int64_t process)>& is_running);

// The text without what AddContext added; the context before is current again, if it is still there. What others have
// put in its place stays.
Result<std::string> RemoveContext(std::string_view text, const KubeconfigContext& context);

bool HasContext(std::string_view text, std::string_view name);

// Whether a kubeconfig leads to anything else than the entries called `name`.
bool HoldsOthers(std::string_view text, std::string_view name);

}  // namespace berth::up
