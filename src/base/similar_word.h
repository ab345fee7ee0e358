// SPDX-License-Identifier: Apache-2.0
// MostSimilar: the word that somebody probably meant who wrote one that does not exist.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace berth {

// The one of `words` that differs least from `word` by letters that are missing, added, changed or swapped, whatever
// their case; or one that begins with it. Empty if none is close. Of several one with
// the same first letter, then the first.
// Cost: the product of the lengths, for words of up to 64 letters; longer ones are never similar.
std::string_view MostSimilar(std::string_view word, std::span<const std::string_view> words);

// "; did you mean WORD?" or nothing, to stand behind a sentence about a word that does not exist.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> words);

}  // namespace berth
