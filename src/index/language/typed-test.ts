// SPDX-License-Identifier: Apache-2.0
import { type AddressBits, compareAddresses, isInRange, parseAddress, parseAddressRange } from "./ip-range.ts";
import { parseQuantity } from "./quantity-amount.ts";
import type { ColumnTest, OrderTest } from "./query-predicate.ts";
import { compareSemanticVersions, parseSemanticVersion } from "./semantic-version.ts";

/** Whether the order holds for a comparison: below 0 for less, 0 for equal, above 0 for greater. */
export function isInOrder(comparison: number, order: OrderTest): boolean {
  switch (order) {
    case "<":
      return comparison < 0;
    case "<=":
      return comparison <= 0;
    case ">":
      return comparison > 0;
    case ">=":
      return comparison >= 0;
    case "=":
      return comparison === 0;
  }
}

/**
 * The test of a text by what it means: quantity, version or address. A text without that meaning fails. Undefined if the
 * column test has none of the three.
 */
export function createTypedTest({ quantity, version, address }: ColumnTest): ((text: string) => boolean) | undefined {
  if (quantity !== undefined) {
    const { order, value } = quantity;
    return (text) => {
      const amount = parseQuantity(text);
      return amount !== undefined && isInOrder(amount - value, order);
    };
  }
  if (version !== undefined) {
    const wanted = parseSemanticVersion(version.value);
    return (text) => {
      const own = wanted === undefined ? undefined : parseSemanticVersion(text);
      return (
        wanted !== undefined && own !== undefined && isInOrder(compareSemanticVersions(own, wanted), version.order)
      );
    };
  }
  return address === undefined ? undefined : createAddressTest(address.order, address.value);
}

function createAddressTest(order: OrderTest, value: string): (text: string) => boolean {
  const range = parseAddressRange(value);
  const holds = (own: AddressBits): boolean => {
    if (range === undefined) return false;
    // Addresses of another family are neither less nor greater.
    if (own.length !== range.first.length) return false;
    return order === "=" ? isInRange(own, range) : isInOrder(compareAddresses(own, range.first), order);
  };
  return (text) => {
    const own = parseAddress(text);
    return own !== undefined && holds(own);
  };
}
