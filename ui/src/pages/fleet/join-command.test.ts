// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseClusterId } from "../../../../src/model/cluster-id.ts";
import { joinCommand, nameFault } from "./join-command.ts";

const offer = { secret: "s-1", hubCa: "", hubUrl: "https://hub:7443", clusterId: "prod" };

test("each part is one word of the shell, whatever is in it", () => {
  expect(joinCommand({ ...offer, secret: "a'b; rm" })).toContain(`--from-literal=token='a'\\''b; rm'`);
  expect(joinCommand(offer)).toContain("--from-literal=token=s-1 &&\n");
});

test("a hub with a certificate of its own gives its CA along", () => {
  expect(joinCommand(offer)).not.toContain("--ca-file");
  expect(joinCommand({ ...offer, hubCa: "-----BEGIN\nX" })).toContain("--ca-file <(printf '%s' '-----BEGIN\nX') |");
});

test("[CO1] a name is right for the page exactly where it is for the hub", () => {
  const names = [
    "a",
    "prod-east-1",
    "9",
    "a".repeat(63),
    "",
    "-a",
    "a-",
    "A",
    "a b",
    "a.b",
    "ä",
    "a\n",
    "a".repeat(64),
  ];
  const isTaken = (name: string): boolean => {
    try {
      return parseClusterId(name) === name;
    } catch {
      return false;
    }
  };
  expect(names.map((name) => nameFault(name) === "")).toEqual(names.map(isTaken));
  expect(nameFault("My cluster")).toMatch(/lower-case letters.*such as production-east\.$/);
});
