// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/csi_migration.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string/predicate.hpp>

#include "plugins/helpers/zone_labels.h"

namespace berth::plugins {
namespace {

using api::Volume;

constexpr std::string_view kUnspecified = "UNSPECIFIED";

constexpr std::array<MigratedPlugin, 7> kPlugins = {{
    {Volume::Source::kAwsElasticBlockStore, "kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone",
     true},
    {Volume::Source::kGcePersistentDisk, "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone", true},
    {Volume::Source::kAzureDisk, "kubernetes.io/azure-disk", "disk.csi.azure.com", "", true},
    {Volume::Source::kCinder, "kubernetes.io/cinder", "cinder.csi.openstack.org",
     "topology.cinder.csi.openstack.org/zone", true},
    {Volume::Source::kPortworx, "kubernetes.io/portworx-volume", "pxd.portworx.com", "", true},
    {Volume::Source::kAzureFile, "kubernetes.io/azure-file", "file.csi.azure.com", "", false},
    {Volume::Source::kVsphere, "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", "", false},
}};

// vol-1 from vol-1, aws:///vol-1 and aws://zone/vol-1.
Result<std::string> AwsVolumeId(const std::string& written) {
  constexpr std::string_view kScheme = "aws://";
  if (!written.starts_with(kScheme)) return written;
  std::string_view path = std::string_view(written).substr(kScheme.size());
  path = path.substr(0, path.find_first_of("?#"));
  path.remove_prefix(std::min(path.find('/'), path.size()));
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!path.starts_with("vol-") || path.contains('/')) {
    return Invalid(
        fmt::format("failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({})", written));
  }
  return std::string(path);
}

Result<std::string> AzureDiskHandle(const Volume& volume) {
  if (!volume.disk_kind.empty() && !boost::iequals(volume.disk_kind, "Managed")) {
    return Invalid(fmt::format("kind({}) is not supported in csi migration", volume.disk_kind));
  }
  return volume.pool;
}

std::string GceZonalHandle(std::string_view zone, std::string_view disk) {
  return fmt::format("projects/{}/zones/{}/disks/{}", kUnspecified, zone, disk);
}

Result<std::string> GceRegion(const std::vector<std::string_view>& zones) {
  std::set<std::string_view> regions;
  for (const std::string_view zone : zones) {
    if (std::ranges::count(zone, '-') != 2) {
      return Invalid(
          fmt::format("failed to get region from zones: zone in unexpected format, expected: "
                      "{{locale}}-{{region}}-{{zone}}, got: {}",
                      zone));
    }
    regions.insert(zone.substr(0, zone.rfind('-')));
  }
  if (regions.size() != 1) {
    std::vector<std::string> listed;
    for (const std::string_view region : regions) listed.push_back(fmt::format("{}:{{}}", region));
    return Invalid(
        fmt::format("failed to get region from zones: multiple or no regions gotten from zones, got: map[{}]",
                    fmt::join(listed, " ")));
  }
  return std::string(*regions.begin());
}

// The handle names the zone, or the region of a disk that is replicated over zones.
Result<std::string> GceHandle(const api::PersistentVolume& volume) {
  std::string_view label = volume.meta.labels.Get(kBetaZoneLabel);
  if (label.empty()) label = volume.meta.labels.Get(kZoneLabel);
  const std::vector<std::string_view> zones = SplitZones(label);
  if (zones.size() > 1) {
    return fmt::format("projects/{}/regions/{}/disks/{}", kUnspecified, BERTH_TRY(GceRegion(zones)), volume.source.id);
  }
  return GceZonalHandle(label.empty() ? kUnspecified : label, volume.source.id);
}

Result<std::string> VolumeHandle(const api::PersistentVolume& volume) {
  if (volume.source.source == Volume::Source::kGcePersistentDisk) return GceHandle(volume);
  return InlineVolumeHandle(volume.source);
}

}  // namespace

const MigratedPlugin* FindMigration(Volume::Source source) {
  const auto it = std::ranges::find(kPlugins, source, &MigratedPlugin::source);
  return it == kPlugins.end() ? nullptr : &*it;
}

const MigratedPlugin* FindMigration(std::string_view in_tree_name) {
  const auto it = std::ranges::find(kPlugins, in_tree_name, &MigratedPlugin::in_tree_name);
  return it == kPlugins.end() ? nullptr : &*it;
}

Result<std::string> InlineVolumeHandle(const Volume& volume) {
  switch (volume.source) {
    case Volume::Source::kAwsElasticBlockStore: return AwsVolumeId(volume.id);
    case Volume::Source::kGcePersistentDisk: return GceZonalHandle(kUnspecified, volume.id);
    case Volume::Source::kAzureDisk: return AzureDiskHandle(volume);
    default: return volume.id;
  }
}

Result<CsiVolume> TranslateToCsi(const api::PersistentVolume& volume) {
  CsiVolume translated{.handle = BERTH_TRY(VolumeHandle(volume)), .node_affinity = volume.node_affinity};
  const std::string_view zone_key = FindMigration(volume.source.source)->zone_key;
  if (!zone_key.empty()) UseDriverZones(volume.meta.labels, zone_key, translated.node_affinity);
  return translated;
}

bool IsMigratedOnNode(const MigratedPlugin& plugin, const api::CsiNode* node) {
  if (node == nullptr) return false;
  std::string_view listed = node->meta.annotations.Get(kMigratedPluginsAnnotation);
  while (!listed.empty()) {
    const size_t end = std::min(listed.find(','), listed.size());
    if (listed.substr(0, end) == plugin.in_tree_name) return true;
    listed.remove_prefix(std::min(end + 1, listed.size()));
  }
  return false;
}

}  // namespace berth::plugins
