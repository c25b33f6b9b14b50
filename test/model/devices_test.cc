#include "berth/model/devices.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace berth::model {

void PrintTo(const DriverRule& rule, std::ostream* out) {
  *out << '"' << rule.driver << '"' << (rule.complete ? " complete" : "");
}

namespace {

DriverRule rule_of(std::vector<std::string> selectors) {
  DeviceClass device_class;
  device_class.selectors = std::move(selectors);
  return driver_rule(device_class);
}

const DriverRule kUnknown{};

TEST(DriverRule, IsCompleteForTheDriverAlone) {
  for (const char* selector :
       {"device.driver == 'gpu.nvidia.com'", "device.driver == \"gpu.nvidia.com\"",
        "device.driver=='gpu.nvidia.com'", "\n  device . driver\t==\r\n 'gpu.nvidia.com' \n"}) {
    EXPECT_EQ(rule_of({selector}), (DriverRule{"gpu.nvidia.com", true})) << selector;
  }
}

TEST(DriverRule, NamesTheDriverOfWhatDemandsMore) {
  for (const char* selector :
       {"device.driver == 'd' && device.attributes['d'].type == 'gpu'",
        "device.attributes['d'].type == 'gpu' && device.driver == 'd'",
        "(device.x || device.y) && device.driver == \"d\"", "device.driver == 'd' && a['x || y']",
        "device.driver == 'd' && {'a': 1}.size() == 1"}) {
    EXPECT_EQ(rule_of({selector}), (DriverRule{"d", false})) << selector;
  }
}

TEST(DriverRule, DoesNotGuess) {
  for (const char* selector : {"",
                               "true",
                               "device.driver != 'd'",
                               "device.driver == 'd' || device.driver == 'e'",
                               "device.x || device.y && device.driver == 'd'",
                               "device.driver == 'd' ? true : false",
                               "device.driver.startsWith('d')",
                               "!(device.driver == 'd')",
                               "(device.driver == 'd')",
                               "device.driver == 'a\\'b'",
                               "device.driver == '''d'''",
                               "device.driver == 'd' // not e",
                               "device.driver == ''",
                               "device.driver == 'd",
                               "device.driver == d",
                               "device.driver == 'd\"",
                               "device.driver == 'd' && ')' == ')' && (",
                               "device.driver == 'd' && )(",
                               "device.drivers == 'd'",
                               "devices.driver == 'd'",
                               "x.device.driver == 'd'",
                               "device.driver == 'd' == true",
                               "'d' == device.driver"}) {
    EXPECT_EQ(rule_of({selector}), kUnknown) << selector;
  }
}

TEST(DriverRule, NeedsEverySelectorToAgree) {
  const std::string d = "device.driver == 'd'";
  EXPECT_EQ(rule_of({d, d}), (DriverRule{"d", true}));
  EXPECT_EQ(rule_of({d, "device.x"}), (DriverRule{"d", false}));
  EXPECT_EQ(rule_of({"device.x", d}), (DriverRule{"d", false}));
  EXPECT_EQ(rule_of({d, "device.driver == 'e'"}), (DriverRule{"d", false}));
  EXPECT_EQ(rule_of({d, ""}), (DriverRule{"d", false})) << "a selector of a kind yet unknown";
  EXPECT_EQ(rule_of({}), kUnknown) << "takes every device of every driver";
}

}  // namespace
}  // namespace berth::model
