// SPDX-License-Identifier: Apache-2.0
// What policies and webhooks are told of a request.

#pragma once

#include <string>

#include "server/admission/admission.h"
#include "server/model/json.h"
#include "server/model/resource.h"

namespace berth::server {

bool IsNamespaceItself(const Resource& resource);
// That of the object, or the one that it is.
std::string NamespaceOfRequest(const AdmissionRequest& request);

// The object in the form of another view of its resource. Null if there is none.
Json InForm(const Json* object, const Resource& from, const Resource& to);

// Who asks, as UserInfo. `user` may be null.
Json DescribeUser(const WhoAsks& user);

// An AdmissionRequest without its objects, for those who see the request as one of the resource `as`. `user`: UserInfo.
Json DescribeRequest(const AdmissionRequest& request, const Resource& as, bool is_dry_run, Json user);

}  // namespace berth::server
