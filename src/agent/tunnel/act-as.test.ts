// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { toImpersonation } from "./act-as.ts";

/** The sentence of the refusal; undefined where there is none. */
function refusalOf(user: string, groups: readonly string[] = []): string | undefined {
  try {
    toImpersonation(user, groups);
    return undefined;
  } catch (reason) {
    const { code, message } = reason as { code: string; message: string };
    expect(code).toBe("PERMISSION_DENIED");
    return message;
  }
}

/** That many different groups of that many bytes each. */
function groupsOf(count: number, byteCount: number): string[] {
  return Array.from({ length: count }, (_, at) => String(at).padStart(byteCount, "g"));
}

test("[TU8] a user is acted for by name and groups alone; everybody's group is left to the API server", () => {
  expect(toImpersonation("ann", ["dev", "system:authenticated", "ops"])).toEqual({
    user: "ann",
    uid: undefined,
    groups: ["dev", "ops"],
    extra: new Map(),
  });
});

describe("[TU7] as a user and as a group", () => {
  test.each([
    "ann",
    "ann@example.com",
    "Ünal Çelik",
    "日本",
    "a b",
    'o\'hara, "x" %41',
    "systemd",
    "System:masters",
    "a:system:b",
    "__proto__",
    "é".repeat(512),
  ])("%j is acted for", (name) => {
    expect(toImpersonation(name, [name])).toMatchObject({ user: name, groups: [name] });
  });

  test.each([
    "system:admin",
    "system:masters",
    "system:anonymous",
    "system:unauthenticated",
    "system:serviceaccount:kube-system:default",
    "system:node:a",
    "system:",
  ])("%j is of the system", (name) => {
    const refusal = `the agent acts for no system user or group, such as ${JSON.stringify(name)}`;
    expect(refusalOf(name)).toBe(refusal);
    expect(refusalOf("ann", ["dev", name])).toBe(refusal);
  });

  test.each([
    ["nothing", ""],
    ["a blank", " "],
    ["a blank before", " ann"],
    ["a blank behind", "ann "],
    ["a tab behind", "ann\t"],
    ["a newline", "ann\nImpersonate-Group: system:masters"],
    ["a carriage return", "an\rn"],
    ["a zero byte", "an\u0000n"],
    ["a delete", "an\u007fn"],
    ["an escape", "\u001b[2Jann"],
    ["the first half of a letter", "ann\ud800"],
    ["the second half of a letter", "\udc00ann"],
    ["blanks before what is of the system", " system:masters"],
    ["1,025 bytes", "a".repeat(1_025)],
    ["1,025 bytes in fewer letters", `${"é".repeat(512)}a`],
  ])("a name with %s would not arrive as it is", (_what, name) => {
    const refusal =
      /^the agent cannot act for ".*": it is empty, too long, or has control characters or blanks at an end$/;
    expect(refusalOf(name)).toMatch(refusal);
    expect(refusalOf("ann", [name])).toMatch(refusal);
  });
});

test("[TU7] the name of everybody's group is no user", () => {
  expect(refusalOf("system:authenticated")).toBeDefined();
});

test("all names together are no more than one request can carry", () => {
  expect(refusalOf("ann", groupsOf(1_024, 15))).toBeUndefined();
  expect(refusalOf("ann", groupsOf(300, 130))).toBeUndefined();
  expect(refusalOf("ann", groupsOf(300, 200))).toBe(
    'the agent cannot act for "ann": the names of all groups are too long together',
  );
});
