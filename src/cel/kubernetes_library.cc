// SPDX-License-Identifier: Apache-2.0
// Kubernetes' own functions: quantities, versions, regular expressions, URLs, addresses and formats.
#include <fmt/format.h>

#include "api/document/field_error.h"
#include "cel/containers.h"
#include "cel/library.h"
#include "cel/named_format.h"
#include "cel/network.h"
#include "cel/regex.h"
#include "cel/semver.h"
#include "cel/url.h"

namespace berth::cel {
namespace {

Value StringOf(Arena& arena, std::string_view text) { return Value::String(arena.Text(text)); }

Value StringList(Arena& arena, const auto& texts) {
  std::vector<Value> values;
  for (const std::string_view text : texts) values.push_back(StringOf(arena, text));
  return MakeList(arena, values);
}

// Quantities.

Value ToQuantity(Arena& arena, Args args) {
  const Result<api::Quantity> quantity = api::Quantity::Parse(args[0].string());
  return quantity ? Value::Of(arena.Make<api::Quantity>(*quantity)) : Fail(arena, quantity.error().message);
}
Value IsQuantity(Arena&, Args args) { return Value::Bool(api::Quantity::Parse(args[0].string()).has_value()); }
Value QuantitySign(Arena&, Args args) { return Value::Int(args[0].quantity().Sign()); }
Value QuantityGreater(Arena&, Args args) { return Value::Bool(args[0].quantity().Cmp(args[1].quantity()) > 0); }
Value QuantityLess(Arena&, Args args) { return Value::Bool(args[0].quantity().Cmp(args[1].quantity()) < 0); }
Value QuantityCompare(Arena&, Args args) { return Value::Int(args[0].quantity().Cmp(args[1].quantity())); }
Value QuantityFloat(Arena&, Args args) { return Value::Double(args[0].quantity().AsApproximateFloat()); }
Value QuantityIsInt(Arena&, Args args) { return Value::Bool(args[0].quantity().AsInt().has_value()); }
Value QuantityInt(Arena& arena, Args args) {
  const std::optional<int64_t> number = args[0].quantity().AsInt();
  return number ? Value::Int(*number) : Fail(arena, "cannot convert value to integer");
}

api::Quantity QuantityOperand(const Value& value) {
  if (value.Is(Kind::kQuantity)) return value.quantity();
  return api::Quantity::FromInt(value.integer(), api::Quantity::Format::kDecimalExponent);
}
Value QuantityAdd(Arena& arena, Args args) {
  api::Quantity* sum = arena.Make<api::Quantity>(args[0].quantity());
  sum->Add(QuantityOperand(args[1]));
  return Value::Of(sum, true);
}
Value QuantitySub(Arena& arena, Args args) {
  api::Quantity* difference = arena.Make<api::Quantity>(args[0].quantity());
  difference->Sub(QuantityOperand(args[1]));
  return Value::Of(difference, true);
}

constexpr Declaration kQuantities[] = {
    {"quantity", "string_to_quantity", "(string): quantity", ToQuantity},
    {"isQuantity", "is_quantity_string", "(string): bool", IsQuantity},
    {"sign", "quantity_sign", "(quantity): int", QuantitySign},
    {"isGreaterThan", "quantity_is_greater_than", "quantity.(quantity): bool", QuantityGreater},
    {"isLessThan", "quantity_is_less_than", "quantity.(quantity): bool", QuantityLess},
    {"compareTo", "quantity_compare_to", "quantity.(quantity): int", QuantityCompare},
    {"asApproximateFloat", "quantity_get_float", "quantity.(): double", QuantityFloat},
    {"asInteger", "quantity_get_int", "quantity.(): int", QuantityInt},
    {"isInteger", "quantity_is_integer", "quantity.(): bool", QuantityIsInt},
    {"add", "quantity_add", "quantity.(quantity): quantity", QuantityAdd},
    {"add", "quantity_add_int", "quantity.(int): quantity", QuantityAdd},
    {"sub", "quantity_sub", "quantity.(quantity): quantity", QuantitySub},
    {"sub", "quantity_sub_int", "quantity.(int): quantity", QuantitySub},
};

// Semantic versions.

Result<Semver> ReadSemver(Args args) {
  const bool normalizes = args.size() > 1 && args[1].boolean();
  return normalizes ? Semver::ParseNormalized(args[0].string()) : Semver::Parse(args[0].string());
}
Value ToSemver(Arena& arena, Args args) {
  Result<Semver> version = ReadSemver(args);
  return version ? Value::Of(arena.Make<Semver>(std::move(*version))) : Fail(arena, version.error().message);
}
Value IsSemver(Arena&, Args args) { return Value::Bool(ReadSemver(args).has_value()); }
Value SemverGreater(Arena&, Args args) { return Value::Bool(args[0].semver().Compare(args[1].semver()) > 0); }
Value SemverLess(Arena&, Args args) { return Value::Bool(args[0].semver().Compare(args[1].semver()) < 0); }
Value SemverCompare(Arena&, Args args) { return Value::Int(args[0].semver().Compare(args[1].semver())); }
template <uint64_t Semver::* part>
Value SemverPart(Arena&, Args args) {
  return Value::Int(static_cast<int64_t>(args[0].semver().*part));
}

constexpr Declaration kSemvers[] = {
    {"semver", "string_to_semver", "(string): semver", ToSemver},
    {"semver", "string_bool_to_semver", "(string, bool): semver", ToSemver},
    {"isSemver", "is_semver_string", "(string): bool", IsSemver},
    {"isSemver", "is_semver_string_bool", "(string, bool): bool", IsSemver},
    {"isGreaterThan", "semver_is_greater_than", "semver.(semver): bool", SemverGreater},
    {"isLessThan", "semver_is_less_than", "semver.(semver): bool", SemverLess},
    {"compareTo", "semver_compare_to", "semver.(semver): int", SemverCompare},
    {"major", "semver_major", "semver.(): int", SemverPart<&Semver::major>},
    {"minor", "semver_minor", "semver.(): int", SemverPart<&Semver::minor>},
    {"patch", "semver_patch", "semver.(): int", SemverPart<&Semver::patch>},
};

// Regular expressions.

Value Find(Arena& arena, Args args) {
  const Result<Regex> regex = Regex::Compile(args[1].string());
  if (!regex) return Fail(arena, "Illegal regex: " + regex.error().message);
  return Value::String(regex->Find(args[0].string()));
}
Value FindAll(Arena& arena, Args args) {
  const Result<Regex> regex = Regex::Compile(args[1].string());
  if (!regex) return Fail(arena, "Illegal regex: " + regex.error().message);
  return StringList(arena, regex->FindAll(args[0].string(), args.size() > 2 ? args[2].integer() : -1));
}

constexpr Declaration kRegexes[] = {
    {"find", "string_find_string", "string.(string): string", Find},
    {"findAll", "string_find_all_string", "string.(string): list(string)", FindAll},
    {"findAll", "string_find_all_string_int", "string.(string, int): list(string)", FindAll},
};

// URLs.

Value ToUrl(Arena& arena, Args args) {
  Result<Url> url = Url::ParseRequest(args[0].string());
  if (url) url = Url::Parse(args[0].string());
  if (!url) return Fail(arena, "URL parse error during conversion from string: " + url.error().message);
  return Value::Of(arena.Make<Url>(std::move(*url)));
}
Value IsUrl(Arena&, Args args) { return Value::Bool(Url::ParseRequest(args[0].string()).has_value()); }
Value UrlScheme(Arena& arena, Args args) { return StringOf(arena, args[0].url().scheme); }
Value UrlHost(Arena& arena, Args args) { return StringOf(arena, args[0].url().host); }
Value UrlHostname(Arena& arena, Args args) { return StringOf(arena, args[0].url().Hostname()); }
Value UrlPort(Arena& arena, Args args) { return StringOf(arena, args[0].url().Port()); }
Value UrlPath(Arena& arena, Args args) { return StringOf(arena, args[0].url().EscapedPath()); }
Value UrlQuery(Arena& arena, Args args) {
  Map* map = arena.Make<Map>();
  for (const auto& [key, values] : args[0].url().Query()) map->Set(StringOf(arena, key), StringList(arena, values));
  return Value::Of(map);
}

constexpr Declaration kUrls[] = {
    {"url", "string_to_url", "(string): url", ToUrl},
    {"isURL", "is_url_string", "(string): bool", IsUrl},
    {"getScheme", "url_get_scheme", "url.(): string", UrlScheme},
    {"getHost", "url_get_host", "url.(): string", UrlHost},
    {"getHostname", "url_get_hostname", "url.(): string", UrlHostname},
    {"getPort", "url_get_port", "url.(): string", UrlPort},
    {"getEscapedPath", "url_get_escaped_path", "url.(): string", UrlPath},
    {"getQuery", "url_get_query", "url.(): map(string, list(string))", UrlQuery},
};

// Addresses and networks.

Result<IpAddress> ReadIp(std::string_view text) {
  Result<IpAddress> address = IpAddress::Parse(text);
  const std::string quoted = api::GoQuote(text);
  if (!address) {
    return Invalid(
        fmt::format("IP Address {} parse error during conversion from string: {}", quoted, address.error().message));
  }
  if (address->has_zone) return Invalid(fmt::format("IP address {} with zone value is not allowed", quoted));
  if (address->IsMappedV4()) return Invalid(fmt::format("IPv4-mapped IPv6 address {} is not allowed", quoted));
  return address;
}
Value ToIp(Arena& arena, Args args) {
  const Result<IpAddress> address = ReadIp(args[0].string());
  return address ? Value::Of(arena.Make<IpAddress>(*address)) : Fail(arena, address.error().message);
}
Value IsIp(Arena&, Args args) { return Value::Bool(ReadIp(args[0].string()).has_value()); }
Value IpIsCanonical(Arena& arena, Args args) {
  const Result<IpAddress> address = ReadIp(args[0].string());
  return address ? Value::Bool(address->String() == args[0].string()) : Fail(arena, address.error().message);
}
Value IpFamily(Arena&, Args args) { return Value::Int(args[0].ip().is_v4 ? 4 : 6); }
template <bool (IpAddress::*test)() const>
Value TestIp(Arena&, Args args) {
  return Value::Bool((args[0].ip().*test)());
}

Result<Cidr> ReadCidr(std::string_view text) {
  Result<Cidr> cidr = Cidr::Parse(text);
  if (!cidr) return Invalid("network address parse error during conversion from string: " + cidr.error().message);
  if (cidr->address.IsMappedV4()) {
    return Invalid(fmt::format("IPv4-mapped IPv6 address {} is not allowed", api::GoQuote(text)));
  }
  return cidr;
}
Value ToCidr(Arena& arena, Args args) {
  const Result<Cidr> cidr = ReadCidr(args[0].string());
  if (!cidr) return Fail(arena, "network address parse error during conversion from string: " + cidr.error().message);
  return Value::Of(arena.Make<Cidr>(*cidr));
}
Value IsCidr(Arena&, Args args) { return Value::Bool(ReadCidr(args[0].string()).has_value()); }
Value CidrContainsIp(Arena&, Args args) {
  if (args[1].Is(Kind::kIp)) return Value::Bool(args[0].cidr().Contains(args[1].ip()));
  // Upstream does not tell what is wrong with the address.
  const Result<IpAddress> address = ReadIp(args[1].string());
  return address ? Value::Bool(args[0].cidr().Contains(*address)) : NoSuchOverload();
}
Value CidrContainsCidr(Arena& arena, Args args) {
  if (args[1].Is(Kind::kCidr)) return Value::Bool(args[0].cidr().Contains(args[1].cidr()));
  const Value other = ToCidr(arena, args.subspan(1));
  return other.is_error() ? other : Value::Bool(args[0].cidr().Contains(other.cidr()));
}
Value CidrIp(Arena& arena, Args args) { return Value::Of(arena.Make<IpAddress>(args[0].cidr().address)); }
Value CidrBits(Arena&, Args args) { return Value::Int(args[0].cidr().bits); }
Value CidrMasked(Arena& arena, Args args) { return Value::Of(arena.Make<Cidr>(args[0].cidr().Masked())); }
Value NetworkText(Arena& arena, Args args) { return ToText(arena, args[0]); }

constexpr Declaration kNetworks[] = {
    {"ip", "string_to_ip", "(string): ip", ToIp},
    {"family", "ip_family", "ip.(): int", IpFamily},
    {"ip.isCanonical", "ip_is_canonical", "(string): bool", IpIsCanonical},
    {"isUnspecified", "ip_is_unspecified", "ip.(): bool", TestIp<&IpAddress::IsUnspecified>},
    {"isLoopback", "ip_is_loopback", "ip.(): bool", TestIp<&IpAddress::IsLoopback>},
    {"isLinkLocalMulticast", "ip_is_link_local_multicast", "ip.(): bool", TestIp<&IpAddress::IsLinkLocalMulticast>},
    {"isLinkLocalUnicast", "ip_is_link_local_unicast", "ip.(): bool", TestIp<&IpAddress::IsLinkLocalUnicast>},
    {"isGlobalUnicast", "ip_is_global_unicast", "ip.(): bool", TestIp<&IpAddress::IsGlobalUnicast>},
    {"isIP", "is_ip", "(string): bool", IsIp},
    {"string", "ip_to_string", "(ip): string", NetworkText},
    {"cidr", "string_to_cidr", "(string): cidr", ToCidr},
    {"containsIP", "cidr_contains_ip_string", "cidr.(string): bool", CidrContainsIp},
    {"containsIP", "cidr_contains_ip_ip", "cidr.(ip): bool", CidrContainsIp},
    {"containsCIDR", "cidr_contains_cidr_string", "cidr.(string): bool", CidrContainsCidr},
    {"containsCIDR", "cidr_contains_cidr", "cidr.(cidr): bool", CidrContainsCidr},
    {"ip", "cidr_ip", "cidr.(): ip", CidrIp},
    {"prefixLength", "cidr_prefix_length", "cidr.(): int", CidrBits},
    {"masked", "cidr_masked", "cidr.(): cidr", CidrMasked},
    {"isCIDR", "is_cidr", "(string): bool", IsCidr},
    {"string", "cidr_to_string", "(cidr): string", NetworkText},
};

// Formats.

Value NamedFormatOf(Arena& arena, Args args) {
  const NamedFormat* format = FindNamedFormat(args[0].string());
  return Value::Optional(format == nullptr ? nullptr : arena.Make<Value>(Value::Of(format)));
}
Value ValidateFormat(Arena& arena, Args args) {
  const std::vector<std::string> errors = args[0].format().check(args[1].string());
  return Value::Optional(errors.empty() ? nullptr : arena.Make<Value>(StringList(arena, errors)));
}
template <size_t index>
Value FormatAt(Arena&, Args) {
  return Value::Of(&NamedFormats()[index]);
}

constexpr Declaration kFormatFunctions[] = {
    {"validate", "format-validate", "format.(string): optional(list(string))", ValidateFormat},
    {"format.named", "format-named", "(string): optional(format)", NamedFormatOf},
    {"format.dns1123Label", "format.dns1123Label", "(): format", FormatAt<0>},
    {"format.dns1123Subdomain", "format.dns1123Subdomain", "(): format", FormatAt<1>},
    {"format.dns1035Label", "format.dns1035Label", "(): format", FormatAt<2>},
    {"format.qualifiedName", "format.qualifiedName", "(): format", FormatAt<3>},
    {"format.dns1123LabelPrefix", "format.dns1123LabelPrefix", "(): format", FormatAt<4>},
    {"format.dns1123SubdomainPrefix", "format.dns1123SubdomainPrefix", "(): format", FormatAt<5>},
    {"format.dns1035LabelPrefix", "format.dns1035LabelPrefix", "(): format", FormatAt<6>},
    {"format.labelValue", "format.labelValue", "(): format", FormatAt<7>},
    {"format.uri", "format.uri", "(): format", FormatAt<8>},
    {"format.uuid", "format.uuid", "(): format", FormatAt<9>},
    {"format.byte", "format.byte", "(): format", FormatAt<10>},
    {"format.date", "format.date", "(): format", FormatAt<11>},
    {"format.datetime", "format.datetime", "(): format", FormatAt<12>},
};

// Authorization: the functions are declared, but no expression about devices gets hold of an authorizer.

Value NeverCalled(Arena&, Args) { return NoSuchOverload(); }

constexpr Declaration kAuthorization[] = {
    {"path", "authorizer_path", "authorizer.(string): pathcheck", NeverCalled},
    {"group", "authorizer_group", "authorizer.(string): groupcheck", NeverCalled},
    {"serviceAccount", "authorizer_serviceaccount", "authorizer.(string, string): authorizer", NeverCalled},
    {"resource", "groupcheck_resource", "groupcheck.(string): resourcecheck", NeverCalled},
    {"subresource", "resourcecheck_subresource", "resourcecheck.(string): resourcecheck", NeverCalled},
    {"namespace", "resourcecheck_namespace", "resourcecheck.(string): resourcecheck", NeverCalled},
    {"name", "resourcecheck_name", "resourcecheck.(string): resourcecheck", NeverCalled},
    {"check", "pathcheck_check", "pathcheck.(string): decision", NeverCalled},
    {"check", "resourcecheck_check", "resourcecheck.(string): decision", NeverCalled},
    {"errored", "decision_errored", "decision.(): bool", NeverCalled},
    {"error", "decision_error", "decision.(): string", NeverCalled},
    {"allowed", "decision_allowed", "decision.(): bool", NeverCalled},
    {"reason", "decision_reason", "decision.(): string", NeverCalled},
    {"fieldSelector", "authorizer_fieldselector", "resourcecheck.(string): resourcecheck", NeverCalled},
    {"labelSelector", "authorizer_labelselector", "resourcecheck.(string): resourcecheck", NeverCalled},
};

// Of a JSON patch: a key as a path has it.
Value EscapeKey(Arena& arena, Args args) {
  std::string escaped;
  for (const char c : args[0].string()) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return Value::String(arena.Text(escaped));
}

constexpr Declaration kPatches[] = {
    {"jsonpatch.escapeKey", "string_jsonpatch_escapeKey_string", "(string): string", EscapeKey},
};

}  // namespace

std::span<const Declaration> QuantityFunctions() { return kQuantities; }
std::span<const Declaration> SemverFunctions() { return kSemvers; }
std::span<const Declaration> RegexFunctions() { return kRegexes; }
std::span<const Declaration> UrlFunctions() { return kUrls; }
std::span<const Declaration> NetworkFunctions() { return kNetworks; }
std::span<const Declaration> FormatFunctions() { return kFormatFunctions; }
std::span<const Declaration> AuthorizationFunctions() { return kAuthorization; }
std::span<const Declaration> PatchFunctions() { return kPatches; }

}  // namespace berth::cel
