// SPDX-License-Identifier: Apache-2.0
#include "client/access/proxy_settings.h"

#include <gtest/gtest.h>

#include <vector>

namespace berth::client {
namespace {

TEST(ProxySettings, DependOnTheScheme) {
  ProxySettings settings{"a:1", "https://b:2", ""};
  EXPECT_EQ(settings.For("http", "kube", 80), "http://a:1");
  EXPECT_EQ(settings.For("https", "kube", 443), "https://b:2");
  EXPECT_EQ(ProxySettings().For("https", "kube", 443), "");
}

TEST(ProxySettings, NeverStandBetweenThisMachineAndItself) {
  ProxySettings settings{"a:1", "a:1", ""};
  for (const char* host : {"localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1"}) {
    EXPECT_EQ(settings.For("https", host, 443), "") << host;
  }
}

TEST(ProxySettings, LeaveOutWhatNoProxyNames) {
  struct Case {
    std::string no_proxy;
    std::string host;
    bool uses_proxy;
  };
  for (const Case& item : std::vector<Case>{
           {"*", "kube", false},
           {"example.com", "example.com", false},
           {"example.com", "a.Example.com", false},
           {"example.com", "notexample.com", true},
           {".example.com", "example.com", true},
           {".example.com", "a.example.com", false},
           {"*.example.com", "a.example.com", false},
           {"a, example.com ,b", "example.com", false},
           {"example.com:443", "example.com", false},
           {"example.com:80", "example.com", true},
           {"10.0.0.0/8", "10.96.0.1", false},
           {"10.0.0.0/8", "11.96.0.1", true},
           {"10.0.0.0/33", "10.0.0.0", true},
           {"10.96.0.1", "10.96.0.1", false},
           {"10.96.0.1:6443", "10.96.0.1", true},
           {"fd00::/8", "fd12::1", false},
           {"fd00::/8", "10.0.0.1", true},
           {"[fd12::1]:443", "fd12::1", false},
           {"fd12::1", "fd12::1", false},
           {":,/,[,]:1,.,", "kube", true},
       }) {
    SCOPED_TRACE(item.no_proxy + " " + item.host);
    ProxySettings settings{"", "a:1", item.no_proxy};
    EXPECT_EQ(settings.For("https", item.host, 443).empty(), !item.uses_proxy);
  }
}

}  // namespace
}  // namespace berth::client
