// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { canonicalQuantity, compareQuantities, parseQuantity, QuantityError } from "./quantity.ts";

// Text and canonical text by `resource.ParseQuantity(text).String()` of k8s.io/apimachinery v0.36.3.
const canonicalTexts = `
1000m=1 0.5Gi=512Mi 1e3=1e3 1E3=1E3 1.5=1500m 0.1=100m 1.0=1 -1=-1 +1=+1 1Ki=1Ki 1024=1024 1024Ki=1Mi 1.5Gi=1536Mi 0.0001=100u
1n=1n 100u=100u 1e-3=1e-3 12e6=12e6 1500Mi=1500Mi 0.1Ki=102400m 3.5n=4n 0.00000000001=1n 9223372036854775807=9223372036854775807
9223372036854775808=9223372036854775808 1e20=100e18 1e1000=10e999 99999999999999999999999=99999999999999999999999 1Ei=1Ei
8Ei=9223372036854775807 16Ei=9223372036854775807 1E=1E 0=0 0Gi=0 00=0 01=01 1.=1. .=0 .5=500m 1k=1k 1500k=1500k 1000k=1M
123456789012345678901234567890=123456789012345678901234567890 1.23456789012345=1234567891n 1E-3=1E-3 0.5Ki=512 1e+3=1e+3
5e-1=500e-3 1M=1M -0.5=-500m -1500m=-1500m 1e99999999999=10e1215752190 -0=0 0.0000000001Gi=107374183n 1.1Ki=1126400m 1024m=1024m
1e0=1e0 1000e3=1e6 1500e3=1500e3 15e2=1500 1.5e3=1500 0.3e1=3 100Ei=9223372036854775807 2305843009213693952Ki=9223372036854775807
1e-9=1e-9 1e-10=1e-9 1.5e-9=2e-9 -1e-10=-1e-9 -0.0000000001=-1n 9.2e18=9200e15 9223372036854775.807k=9223372036854775807 1P=1P
1000P=1E 10000E=10 1000000E=1 1Pi=1Pi 1Ti=1Ti 1024Ti=1Pi 1e18=1e18 1e19=10e18 +=0 -=0 e3=0 1e2147483647=10e2147483646
12345.6789=12345678900u 0.5=500m 1.5m=1500u 1234567.8u=1234567800n 0.1m=100u 1.0e3=1e3 1000000000000000000000=1 100000e-5=1 5E=5E
1m=1m 10m=10m 1u=1u 1000n=1u 1000000u=1 999m=999m 1.024Ki=1048576m 0e5=0 0.0e3=0 1.5Ki=1536 0.25Ki=256 0.0009765625Ki=1
0.00048828125Ki=500m 3Ei=3Ei -8Ei=-9223372036854775807 -9Ei=-9223372036854775807 7.99Ei=9211842821808707338240m
99999999999999999999Gi=9223372036854775807 0.12345678901=123456790n 1.123456789123456789=1123456790n
123456789.123456789123=123456789123456790n -0=0 4457728Gi=4457728Gi 9472.0004e3=9472000400e-3 -592028672=-592028672 16Ti=16Ti
9673088=9673088 42616=42616 96e3=96e3 -7616Gi=-7616Gi 9328e3=9328e3 8=8 20959808e3=20959808e3 8Gi=8Gi -3142528e3=-3142528e3
27616=27616 43237184P=43237184P -608Gi=-608Gi 912Gi=912Gi -8224k=-8224k 384k=384k 52=52 99200e3=99200e3 -658816P=-658816P
71008e3=71008e3 -11040=-11040 4122496Gi=4122496Gi -430080Gi=-420Ti 534656k=534656k -616e3=-616e3 7435648k=7435648k
81543168=81543168 20544Gi=20544Gi -280P=-280P 335668992e3=335668992e3 845440768P=845440768P -32Gi=-32Gi -17728=-17728 488e3=488e3
996055040e3=996055040e3 30105088Gi=30105088Gi
`;

describe("canonical texts are Kubernetes' own", () => {
  const cases = canonicalTexts
    .trim()
    .split(/\s+/)
    .map((one) => one.split("=", 2));
  test.each(cases)("%s is printed as %s", (text = "", canonical = "") => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });
});

describe("refusals", () => {
  const pattern = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  test.each([
    ["", pattern],
    ["abc", pattern],
    ["1 ", pattern],
    ["1e3Mi", pattern],
    ["0x10", pattern],
    ["1_000", pattern],
    ["١", pattern],
    ["1EE", "unable to parse quantity's suffix"],
    ["1K", "unable to parse quantity's suffix"],
    ["1e", "unable to parse quantity's suffix"],
    ["1e99999999999999999999", "unable to parse quantity's suffix"],
  ])("%j", (text, sentence) => {
    expect(() => parseQuantity(text)).toThrow(new QuantityError(sentence));
  });

  test("more digits than any amount needs are refused", () => {
    expect(() => parseQuantity("9".repeat(100_000))).toThrow("unable to parse numeric part of quantity");
  });

  test("exponents that the real server hangs on are read at once", () => {
    expect(canonicalQuantity("1e-2147483648")).toBe("1e-9");
    expect(canonicalQuantity("-1e-2147483000")).toBe("-1e-9");
    expect(compareQuantities(parseQuantity("1e2147483646"), parseQuantity("1e2147483645"))).toBe(1);
  });
});

describe("comparison", () => {
  test.each([
    ["1", "1000m", 0],
    ["1Ki", "1024", 0],
    ["1Ki", "1k", 1],
    ["-1", "1m", -1],
    ["-2", "-1", -1],
    ["0", "0Gi", 0],
    ["0", "-1n", 1],
    ["1e3", "1k", 0],
    ["999999999999999999999", "1e21", -1],
    ["1.5", "1500000001n", -1],
  ])("%s and %s: %i", (a, b, order) => {
    expect(compareQuantities(parseQuantity(a), parseQuantity(b))).toBe(order);
    expect(compareQuantities(parseQuantity(b), parseQuantity(a))).toBe(order === 0 ? 0 : -order);
  });
});
