// SPDX-License-Identifier: Apache-2.0
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import { toField } from "./wire-fragment.ts";

test.each([1, 15, 16, 2_047, 2_048])(
  "a message as field %i is as protobuf writes it, whatever its length",
  (number) => {
    for (const length of [0, 1, 127, 128, 16_383, 16_384, 3_000_000]) {
      const message = new Uint8Array(length).fill(7);
      const written = new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(message).finish();
      expect(Buffer.compare(toField(number, message), written)).toBe(0);
    }
  },
);
