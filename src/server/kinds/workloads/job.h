// SPDX-License-Identifier: Apache-2.0
// The spec of a job, in jobs and in the templates of cron jobs.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// Jobs and the templates of cron jobs have the parts of it that stand below the spec.
void DefaultJobTemplateParts(Json& spec);

// All but the selector.
void ValidateJobSpec(const Json& spec, const FieldPath& path, FieldErrors& errors);

// Which failures and successes of pods decide about the job.
void ValidatePodFailurePolicy(const Json& spec, const FieldPath& path, FieldErrors& errors);
void ValidateSuccessPolicy(const Json& spec, const FieldPath& path, FieldErrors& errors);

void ValidateJobStatusUpdate(const Json& job, const Json& old, FieldErrors& errors);

}  // namespace berth::server
