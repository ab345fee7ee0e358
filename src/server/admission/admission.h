// SPDX-License-Identifier: Apache-2.0
// Admission: what the cluster's state has to say about a write: rules that no object can be judged by alone.
//
// The rules are upstream's default admission plugins, as far as their effects can be seen: the life of namespaces,
// service accounts, priorities, tolerations of failing nodes, taints of new nodes, protection of volumes in use,
// default storage classes; and the addresses of services.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <string_view>

#include "server/model/status.h"
#include "server/store/store.h"

namespace berth::server {

enum class Verb : uint8_t { kCreate, kUpdate, kDelete };

struct AdmissionRequest {
  Verb verb{};
  const Resource& resource;
  std::string_view subresource;  // Empty: the object itself.
  std::string_view ns;
  std::string_view name;
  Json* object = nullptr;     // As it shall be; a rule may change it. Null for deletions.
  const Json* old = nullptr;  // As it is. Null for creations.
};

class Admission {
 public:
  Admission(const Store& store, const Catalog& catalog) : store_(store), catalog_(catalog) {}

  Outcome<void> Admit(const AdmissionRequest& request) const;
  // Pods that name no service account get `default` from now on.
  void GiveServiceAccounts() { gives_accounts_ = true; }

 private:
  const Store& store_;
  const Catalog& catalog_;
  bool gives_accounts_ = false;
};

}  // namespace berth::server
