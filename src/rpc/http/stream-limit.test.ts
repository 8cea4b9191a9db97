// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { StreamLimit } from "./stream-limit.ts";

test("[RP47] a token has so many streams at a time and no more, whatever others have", () => {
  const limit = new StreamLimit(2);
  const [first] = [limit.enter({ tokenId: "a" }), limit.enter({ tokenId: "a" })];
  expect(() => limit.enter({ tokenId: "a" })).toThrow(
    expect.objectContaining({ code: "OVERLOADED", message: expect.stringContaining("2 streams open") as unknown }),
  );
  limit.enter({ tokenId: "b" });
  first?.();
  first?.();
  limit.enter({ tokenId: "a" });
  expect(() => limit.enter({ tokenId: "a" })).toThrow("streams open");
});

test("[RP47] a public stream counts for nobody", () => {
  const limit = new StreamLimit(1);
  for (let at = 0; at < 3; at += 1) {
    limit.enter(undefined);
    limit.enter({ tokenId: "" });
  }
  limit.enter({ tokenId: "a" });
  expect(() => limit.enter({ tokenId: "a" })).toThrow("streams open");
});
