// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { senderNetworkOf } from "./sender-network.ts";

test.each([
  ["10.0.0.1", "10.0.0.1"],
  ["::ffff:10.0.0.1", "10.0.0.1"],
  ["2001:db8:0:1::1", "2001:db8:0:1"],
  ["2001:db8:0:1:a:b:c:d", "2001:db8:0:1"],
  ["2001:db8::1:0:0:0:1", "2001:db8:0:1"],
  ["::1", "0:0:0:0"],
  ["", ""],
])("the network of %j is %j", (address, network) => {
  expect(senderNetworkOf(address)).toBe(network);
});
