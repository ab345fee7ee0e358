// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_template.h"

#include <memory>

#include "api/parts/selector.h"
#include "base/ascii.h"
#include "server/kinds/kinds.h"
#include "server/kinds/pods/pod_spec.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

class PodTemplateStrategy final : public Strategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override { DefaultPodTemplate(object.Make("template")); }

  void PrepareCreate(Json& object) const override {
    object.Make("metadata").Set("generation", Json::Int(1));
    DropDisabledFields(object.Make({"template", "spec"}), Json(), gates());
  }
  void PrepareUpdate(Json& object, const Json& old) const override {
    DropDisabledFields(object.Make({"template", "spec"}), old["template"]["spec"], gates());
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    ValidatePodTemplate(object["template"], FieldPath("template"), errors);
  }

  bool has_generation() const override { return true; }
};

}  // namespace

void DefaultPodTemplate(Json& pod_template) { DefaultPodSpec(pod_template.Make("spec")); }

void ValidatePodTemplate(const Json& pod_template, const FieldPath& path, FieldErrors& errors) {
  const Json& metadata = pod_template["metadata"];
  const Json& annotations = metadata["annotations"];
  const Json& spec = pod_template["spec"];
  const FieldPath spec_path = path / "spec";
  const FieldPath annotations_path = path / "annotations";
  if (metadata.Has("labels")) ValidateLabels(metadata["labels"], path / "labels", errors);
  for (const Json::Member& annotation : annotations.members()) {
    Report(errors, annotations_path, annotation.name, api::ValidateQualifiedName(Lower(annotation.name)));
  }
  ValidatePodAnnotations(annotations, spec, annotations_path, errors);
  ValidatePodSpec(spec, SpecOf::kTemplate, {}, spec_path, errors);
  ValidateProfileAnnotations(annotations, spec, spec_path, errors);
  if (spec.Has("ephemeralContainers")) {
    errors.Forbidden(spec_path / "ephemeralContainers", "ephemeral containers not allowed in pod template");
  }
}

std::unique_ptr<Strategy> MakePodTemplateStrategy() { return std::make_unique<PodTemplateStrategy>(); }

}  // namespace berth::server
