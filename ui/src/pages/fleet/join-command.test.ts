// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { joinCommand } from "./join-command.ts";

const offer = { secret: "s-1", hubCa: "", hubUrl: "https://hub:7443", clusterId: "prod" };

test("each part is one word of the shell, whatever is in it", () => {
  expect(joinCommand({ ...offer, secret: "a'b; rm" })).toContain(`--from-literal=token='a'\\''b; rm'`);
  expect(joinCommand(offer)).toContain("--from-literal=token=s-1 &&\n");
});

test("a hub with a certificate of its own gives its CA along", () => {
  expect(joinCommand(offer)).not.toContain("--ca-file");
  expect(joinCommand({ ...offer, hubCa: "-----BEGIN\nX" })).toContain("--ca-file <(printf '%s' '-----BEGIN\nX') |");
});
