#include "berth/model/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <string>

#include "test/model/print.h"

namespace berth::model {

namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMax = INT64_MAX;

struct ReadCase {
  const char* name;
  const char* text;
  std::int64_t value;
  std::int64_t milli;
};

void PrintTo(const ReadCase& test, std::ostream* out) { *out << test.text; }

class ReadsQuantity : public ::testing::TestWithParam<ReadCase> {};

TEST_P(ReadsQuantity, AsKubernetesDoes) {
  const auto got = parse_quantity(GetParam().text);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->value(), GetParam().value);
  EXPECT_EQ(got->milli_value(), GetParam().milli);
}

const auto kCaseName = [](const auto& test) { return std::string(test.param.name); };

// Where Go's package wraps around or overflows, the row has the saturated number.
INSTANTIATE_TEST_SUITE_P(
    Vectors, ReadsQuantity,
    ::testing::Values(
        ReadCase{"Zero", "0", 0, 0}, ReadCase{"NegativeZero", "-0", 0, 0},
        ReadCase{"PlusSign", "+1", 1, 1000}, ReadCase{"LeadingZeros", "007", 7, 7000},
        ReadCase{"NothingBehindThePoint", "1.", 1, 1000},
        ReadCase{"NothingBeforeThePoint", ".5", 1, 500}, ReadCase{"Milli", "100m", 1, 100},
        ReadCase{"MilliAboveOne", "1500m", 2, 1500}, ReadCase{"MilliMany", "63770m", 64, 63770},
        ReadCase{"PartOfAMilli", "0.1m", 1, 1}, ReadCase{"MilliAndAHalf", "1.5m", 1, 2},
        ReadCase{"Micro", "1u", 1, 1}, ReadCase{"PartOfANano", "0.1n", 1, 1},
        ReadCase{"RoundsUpTwice", "1.0001", 2, 1001}, ReadCase{"Fraction", "17.5", 18, 17500},
        ReadCase{"NegativeFraction", "-0.5", -1, -500},
        ReadCase{"NegativeMilli", "-1500m", -2, -1500}, ReadCase{"MilliThousand", "1000m", 1, 1000},
        ReadCase{"Kibi", "1Ki", 1024, 1024000}, ReadCase{"HalfKibi", "0.5Ki", 512, 512000},
        ReadCase{"TenthOfAKibi", "0.1Ki", 103, 102400},
        ReadCase{"GibiAndAHalf", "1.5Gi", 1610612736, 1610612736000},
        ReadCase{"MebiInexact", "1.1Mi", 1153434, 1153433600},
        ReadCase{"ManyKibi", "1024Ki", 1048576, 1048576000},
        ReadCase{"NodeMemory", "263856472Ki", 270189027328, 270189027328000},
        ReadCase{"Giga", "80G", 80000000000, 80000000000000},
        ReadCase{"Exponent", "1.5e3", 1500, 1500000}, ReadCase{"NegativeExponent", "5e-1", 1, 500},
        ReadCase{"CapitalExponent", "1E3", 1000, 1000000},
        ReadCase{"ExaMilliSaturates", "1E", 1000000000000000000, kMax},
        ReadCase{"EightExa", "8E", 8000000000000000000, kMax},
        ReadCase{"TenExaSaturates", "10E", kMax, kMax},
        ReadCase{"LargestInteger", "9223372036854775807", kMax, kMax},
        ReadCase{"BeyondTheLargestInteger", "9223372036854775808", kMax, kMax},
        ReadCase{"EightExbiSaturates", "8Ei", kMax, kMax},
        ReadCase{"SixteenExbiSaturates", "16Ei", kMax, kMax},
        ReadCase{"NegativeExbiSaturates", "-9Ei", -kMax, -kMax},
        ReadCase{"SevenExbi", "7Ei", 8070450532247928832, kMax}),
    kCaseName);

INSTANTIATE_TEST_SUITE_P(WithoutDigitsIsZero, ReadsQuantity,
                         ::testing::Values(ReadCase{"Point", ".", 0, 0},
                                           ReadCase{"Minus", "-", 0, 0},
                                           ReadCase{"Plus", "+", 0, 0},
                                           ReadCase{"Milli", "m", 0, 0},
                                           ReadCase{"Kibi", "Ki", 0, 0}),
                         kCaseName);

INSTANTIATE_TEST_SUITE_P(
    Suffixes, ReadsQuantity,
    ::testing::Values(
        ReadCase{"Nano", "2000000000n", 2, 2000}, ReadCase{"Micro", "2000000u", 2, 2000},
        ReadCase{"Milli", "2000m", 2, 2000}, ReadCase{"None", "2", 2, 2000},
        ReadCase{"Kilo", "2k", 2000, 2000000}, ReadCase{"Mega", "2M", 2000000, 2000000000},
        ReadCase{"Giga", "2G", 2000000000, 2000000000000},
        ReadCase{"Tera", "2T", 2000000000000, 2000000000000000},
        ReadCase{"Peta", "2P", 2000000000000000, 2000000000000000000},
        ReadCase{"Exa", "2E", 2000000000000000000, kMax}, ReadCase{"Kibi", "2Ki", 2048, 2048000},
        ReadCase{"Mebi", "2Mi", 2097152, 2097152000},
        ReadCase{"Gibi", "2Gi", 2147483648, 2147483648000},
        ReadCase{"Tebi", "2Ti", 2199023255552, 2199023255552000},
        ReadCase{"Pebi", "2Pi", 2251799813685248, 2251799813685248000},
        ReadCase{"Exbi", "2Ei", 2305843009213693952, kMax},
        ReadCase{"ExponentWithPlus", "2e+3", 2000, 2000000},
        ReadCase{"LargestExponent", "0.00000000000000000000000002e30", 20000, 20000000},
        ReadCase{"SmallestExponent", "2000000000000000000000000000000e-30", 2, 2000},
        ReadCase{"SmallestExponentRoundsUp", "1e-30", 1, 1},
        ReadCase{"ZeroWithAnyExponent", "0e30", 0, 0}),
    kCaseName);

struct RefuseCase {
  const char* name;
  const char* text;
  const char* why;
};

void PrintTo(const RefuseCase& test, std::ostream* out) { *out << test.text; }

class RefusesQuantity : public ::testing::TestWithParam<RefuseCase> {};

TEST_P(RefusesQuantity, AndNamesIt) {
  const auto got = parse_quantity(GetParam().text);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(got.error().message, HasSubstr(std::string("\"") + GetParam().text + "\""));
  EXPECT_THAT(got.error().message, HasSubstr(GetParam().why));
}

constexpr const char* kFormat = "not a number";
constexpr const char* kSuffix = "suffix, or an exponent";

INSTANTIATE_TEST_SUITE_P(
    Format, RefusesQuantity,
    ::testing::Values(
        RefuseCase{"Empty", "", kFormat}, RefuseCase{"Letters", "abc", kFormat},
        RefuseCase{"NaN", "NaN", kFormat}, RefuseCase{"Inf", "Inf", kFormat},
        RefuseCase{"SpaceInside", "1 Gi", kFormat}, RefuseCase{"SpaceBefore", " 1", kFormat},
        RefuseCase{"SpaceBehind", "1 ", kFormat}, RefuseCase{"SmallG", "1gi", kFormat},
        RefuseCase{"Bytes", "1GiB", kFormat}, RefuseCase{"Hexadecimal", "0x10", kFormat},
        RefuseCase{"Underscore", "1_000", kFormat}, RefuseCase{"Comma", "1,5", kFormat},
        RefuseCase{"TwoPoints", "1.2.3", kFormat}, RefuseCase{"ExponentAndSuffix", "1e3m", kFormat},
        RefuseCase{"FractionalExponent", "1e1.5", kFormat}),
    kCaseName);

INSTANTIATE_TEST_SUITE_P(
    Suffix, RefusesQuantity,
    ::testing::Values(RefuseCase{"CapitalK", "1K", kSuffix}, RefuseCase{"SmallKi", "1ki", kSuffix},
                      RefuseCase{"SmallMi", "1mi", kSuffix}, RefuseCase{"OnlyI", "1i", kSuffix},
                      RefuseCase{"ExponentMissing", "1e", kSuffix},
                      RefuseCase{"ExponentOnlyPlus", "1e+", kSuffix},
                      RefuseCase{"ExponentOnlyMinus", "1e-", kSuffix},
                      RefuseCase{"ExponentBinary", "1eKi", kSuffix},
                      RefuseCase{"TwoMinus", "--1", kSuffix},
                      RefuseCase{"PlusMinus", "+-1", kSuffix},
                      RefuseCase{"SuffixAndNumber", "1m5", kSuffix},
                      RefuseCase{"ExponentBeyondInt64", "1e99999999999999999999", kSuffix},
                      RefuseCase{"ExponentThatGoTruncates", "1e4294967297", kSuffix},
                      RefuseCase{"ExponentThatGoHangsOn", "1e2147483648", kSuffix},
                      RefuseCase{"ExponentAboveLimit", "1e31", kSuffix},
                      RefuseCase{"ExponentBelowLimit", "1e-31", kSuffix}),
    kCaseName);

TEST(Quantity, KeepsNanoUnitsExactly) {
  EXPECT_TRUE(parse_quantity("1.000000001")->nano() == Int128{1'000'000'001});
  EXPECT_TRUE(parse_quantity("0.0000000001Ki")->nano() == Int128{103});  // 102.4
  EXPECT_TRUE(parse_quantity("-0.0000000001Ki")->nano() == Int128{-103});
  EXPECT_TRUE(parse_quantity("0.000000000000000000000000001Ei")->nano() == Int128{2});  // 1.15
}

TEST(Quantity, RoundsOnWhateverIsBehindTheLastDigitThatCounts) {
  const std::string zeros(5'000, '0');
  EXPECT_TRUE(parse_quantity("1." + zeros + "Ki")->nano() == Int128{1024} * 1'000'000'000);
  EXPECT_TRUE(parse_quantity("1." + zeros + "1Ki")->nano() == Int128{1024} * 1'000'000'000 + 1);
  EXPECT_TRUE(parse_quantity("1." + zeros)->nano() == Int128{1'000'000'000});
  EXPECT_TRUE(parse_quantity("1." + zeros + "1")->nano() == Int128{1'000'000'001});
  EXPECT_EQ(parse_quantity(zeros + "7Gi")->value(), 7LL << 30);
  EXPECT_EQ(parse_quantity("1" + zeros)->value(), kMax);
  EXPECT_EQ(parse_quantity("-1" + zeros + "Ki")->value(), -kMax);
}

// The exact power 2^60 of `Ei`, reached only by the last of 69 digits: 2^-60 Ei is one unit.
TEST(Quantity, CarriesFromTheLastDigitOfALongFraction) {
  const std::string power =
      "0.000000000000000000867361737988403547205962240695953369140625";  // 2^-60
  EXPECT_EQ(parse_quantity(power + "Ei")->milli_value(), 1000);
  EXPECT_EQ(parse_quantity(power + "1Ei")->milli_value(), 1001);
}

TEST(Quantity, ReadsMillionsOfDigitsInLinearTime) {
  const std::string digits(4'000'000, '9');
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_quantity(digits)->value(), kMax);
  EXPECT_EQ(parse_quantity("0." + digits)->value(), 1);
  EXPECT_EQ(parse_quantity("0." + digits + "Ei")->value(), INT64_C(1) << 60);
  EXPECT_FALSE(parse_quantity(digits + "x"));
  EXPECT_FALSE(parse_quantity("1e" + digits));
  // Quadratic work would take hours.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(Quantity, SumsExactlyBeforeItRounds) {
  const auto half = *parse_quantity("0.5m");
  EXPECT_EQ(half.milli_value(), 1);
  EXPECT_EQ((half + half).milli_value(), 1);
  EXPECT_EQ(half + half, Quantity::from_milli(1));
}

TEST(Quantity, SaturatesSums) {
  const auto most = Quantity::from_units(kMax);
  EXPECT_EQ((most + most).value(), kMax);
  EXPECT_EQ(most + Quantity::from_milli(1), most);
  const auto least = Quantity::from_units(INT64_MIN);
  EXPECT_EQ(least.value(), -kMax);
  EXPECT_EQ((least + least).value(), -kMax);
  EXPECT_EQ(most + least, Quantity());
}

TEST(Quantity, ClampsWhatItIsMadeFrom) {
  EXPECT_EQ(Quantity::from_nano(Int128{1} << 126), Quantity::from_units(kMax));
  EXPECT_EQ(Quantity::from_nano(-(Int128{1} << 126)), Quantity::from_units(-kMax));
  EXPECT_EQ(Quantity::from_milli(INT64_MIN).milli_value(), -kMax);
  EXPECT_EQ(Quantity::from_milli(1500), *parse_quantity("1.5"));
}

TEST(Quantity, IsOrderedAndKnowsItsSign) {
  EXPECT_LT(*parse_quantity("999m"), *parse_quantity("1"));
  EXPECT_EQ(*parse_quantity("1024Mi"), *parse_quantity("1Gi"));
  EXPECT_TRUE(parse_quantity("-1n")->negative());
  EXPECT_TRUE(parse_quantity("1n")->positive());
  EXPECT_FALSE(Quantity().negative());
  EXPECT_FALSE(Quantity().positive());
}

TEST(Quantity, ShowsOnlyWhatIsFitToBeShownOfABadText) {
  const auto got = parse_quantity(std::string(200, '7') + "\n");
  ASSERT_FALSE(got);
  EXPECT_LT(got.error().message.size(), 140U);
  EXPECT_THAT(parse_quantity("1\n\"\xff").error().message, HasSubstr("\"1???\""));
}

TEST(Quantity, SumsUpComplaintsAboutSeveral) {
  const std::vector<std::string> complaints = {"cpu: \"x\"", "memory: \"y\"", "z"};
  EXPECT_EQ(summary_of({complaints.data(), 1}), "cpu: \"x\"");
  EXPECT_EQ(summary_of(complaints), "cpu: \"x\" (and 2 more)");
}

}  // namespace
}  // namespace berth::model
