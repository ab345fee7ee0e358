// SPDX-License-Identifier: Apache-2.0
#include "record/archive.h"

#include <gtest/gtest.h>

#include <limits>

#include "record/fields.h"

namespace berth::record {
namespace {

// Gives every field a value of its own, by the same lists of fields.
class Filler {
 public:
  static constexpr bool kReads = true;

  template <class... T>
  void operator()(T&... fields) {
    (Fill(fields), ...);
  }

 private:
  void Fill(bool& value) { value = true; }
  void Fill(int64_t& value) { value = ++count_ * 1'000'003; }
  void Fill(int32_t& value) { value = static_cast<int32_t>(-++count_); }
  void Fill(std::string& text) { text = "text-" + std::to_string(++count_); }
  void Fill(Time& time) { Fill(time.nanos); }
  void Fill(api::Quantity& quantity) { quantity = api::Quantity::FromMilli(++count_); }
  void Fill(api::Labels& labels) { labels = {{Text(), Text()}, {Text(), Text()}}; }
  void Fill(api::ResourceList& list) {
    for (int i = 0; i < 2; ++i) list.Set(Text(), api::Quantity::FromInt(++count_, api::Quantity::Format::kBinarySi));
  }
  void Fill(api::SourceText& source) { source = std::make_shared<const std::string>('"' + Text() + '"'); }
  void Fill(api::Volume::Source& source) { source = kLast<api::Volume::Source>; }
  template <class T>
  void Fill(std::optional<T>& value) {
    Fill(value.emplace());
  }
  void Fill(std::vector<bool>& values) { values = {true, false}; }
  template <class K, class V>
  void Fill(std::pair<K, V>& pair) {
    Fill(pair.first);
    Fill(pair.second);
  }
  template <class... T>
  void Fill(std::variant<T...>& value) {
    Fill(value.template emplace<sizeof...(T) - 1>());
  }
  template <class T>
  void Fill(std::vector<T>& values) {
    values.resize(2);
    for (T& value : values) Fill(value);
  }
  template <class T>
    requires std::is_class_v<T>
  void Fill(T& object) {
    Fields(*this, object);
  }
  std::string Text() {
    std::string text;
    Fill(text);
    return text;
  }

  int64_t count_ = 0;
};

template <class T>
std::string Encode(const T& value) {
  Encoder archive;
  archive(value);
  return archive.Take();
}

template <class T>
Result<T> Decode(std::string_view bytes) {
  T value{};
  Decoder archive(bytes);
  archive(value);
  archive.Finish();
  if (!archive.ok()) return Invalid(archive.problem());
  return value;
}

template <class... T>
std::vector<api::Object> OneOfEach(const std::variant<T...>*) {
  return {api::Object(T{})...};
}

TEST(Archive, ObjectsOfEveryKindComeBackFilledOrEmpty) {
  for (api::Object object : OneOfEach(static_cast<api::Object*>(nullptr))) {
    SCOPED_TRACE(api::KindOf(object));
    for (const bool filled : {false, true}) {
      if (filled) std::visit([](auto& alternative) { Filler()(alternative); }, object);

      const Result<api::Object> again = Decode<api::Object>(Encode(object));

      ASSERT_TRUE(again.has_value()) << again.error().message;
      EXPECT_EQ(*again, object);
    }
  }
}

TEST(Archive, FilledObjectsCutAnywhereAreRefused) {
  for (api::Object object : OneOfEach(static_cast<api::Object*>(nullptr))) {
    SCOPED_TRACE(api::KindOf(object));
    std::visit([](auto& alternative) { Filler()(alternative); }, object);
    const std::string bytes = Encode(object);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(Decode<api::Object>(bytes.substr(0, size)).has_value()) << size;
    }
    EXPECT_EQ(Decode<api::Object>(bytes + "x").error().message, "there are bytes left over");
  }
}

TEST(Archive, SourcesOfObjectsAreJson) {
  api::Pod pod;
  for (const char* source : {"", "{", "x"}) {
    pod.source = std::make_shared<const std::string>(source);
    const Result<api::Object> again = Decode<api::Object>(Encode(api::Object(pod)));
    ASSERT_FALSE(again.has_value()) << source;
    EXPECT_EQ(again.error().message, "the source of an object is not JSON");
  }
}

TEST(Archive, NumbersComeBackAtTheEndsOfTheirRange) {
  for (const int64_t value : {int64_t{0}, int64_t{-1}, int64_t{1}, int64_t{63}, int64_t{-64}, int64_t{64},
                              std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    EXPECT_EQ(Decode<int64_t>(Encode(value)), value);
    EXPECT_EQ(Decode<uint64_t>(Encode(static_cast<uint64_t>(value))), static_cast<uint64_t>(value));
  }
  EXPECT_EQ(Encode(int64_t{-1}), "\1");
  EXPECT_EQ(Encode(int64_t{64}), std::string("\x80\x01"));
  EXPECT_EQ(Decode<int32_t>(Encode(int32_t{std::numeric_limits<int32_t>::min()})), std::numeric_limits<int32_t>::min());
}

TEST(Archive, QuantitiesKeepAmountAndSpelling) {
  for (const char* text :
       {"0", "1", "-1", "100m", "1.555", "1.5Gi", "1536Mi", "12e6", "1u", "1n", "9223372036854775807",
        "92233720368547758070000", "-9223372036854775808", "1E", "8Ei", "0.1", "1e-3"}) {
    SCOPED_TRACE(text);
    const api::Quantity quantity = api::Quantity::Parse(text).value();

    const Result<api::Quantity> again = Decode<api::Quantity>(Encode(quantity));

    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->Cmp(quantity), 0);
    EXPECT_EQ(again->String(), quantity.String());
    EXPECT_EQ(again->MilliValue(), quantity.MilliValue());
  }
}

TEST(Archive, WrongValuesAreRefused) {
  EXPECT_EQ(Decode<bool>("\2").error().message, "a truth value is neither 0 nor 1");
  EXPECT_EQ(Decode<int32_t>(Encode(int64_t{1} << 31)).error().message, "a number is too large");
  EXPECT_EQ(Decode<uint64_t>("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02").error().message, "a number is too large");
  EXPECT_EQ(Decode<api::Volume::Source>("\x0e").error().message, "there is no such enumerator");
  EXPECT_EQ(Decode<api::Object>(std::string(1, static_cast<char>(std::variant_size_v<api::Object>))).error().message,
            "there is no such kind");
  EXPECT_EQ(Decode<std::vector<std::string>>("\xff\xff\x03x").error().message, "a size is too large");
  EXPECT_EQ(Decode<std::string>("").error().message, "a value is missing");
  EXPECT_FALSE(Decode<api::Quantity>("\3abc").has_value());
}

}  // namespace
}  // namespace berth::record
