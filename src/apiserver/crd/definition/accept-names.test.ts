// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { DraftObject, JsonObject } from "../../json/json.ts";
import { widgets } from "../testing/recorded.ts";
import { acceptNames, establishedStatus } from "./accept-names.ts";
import { setCrdDefaults } from "./crd-defaults.ts";

const time = "2026-01-01T00:00:00Z";

function definition(names: JsonObject, group = "example.com"): DraftObject {
  const crd = widgets({ spec: { names, group } });
  setCrdDefaults(crd);
  return crd;
}

function establish(crd: DraftObject, others: readonly JsonObject[] = []): DraftObject {
  return { ...crd, status: establishedStatus(crd, others, time) ?? {} };
}

const embeds = establish(definition({ plural: "embeds", kind: "Embed" }));

describe("names without a conflict", () => {
  test("are accepted, and the definition is established", () => {
    const crd = definition({ plural: "holders", kind: "Holder", shortNames: ["h"], categories: ["all"] });
    expect(establishedStatus(crd, [embeds], time)).toEqual({
      conditions: [
        {
          type: "NamesAccepted",
          status: "True",
          lastTransitionTime: time,
          reason: "NoConflicts",
          message: "no conflicts found",
        },
        {
          type: "Established",
          status: "True",
          lastTransitionTime: time,
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        },
      ],
      acceptedNames: {
        plural: "holders",
        singular: "holder",
        shortNames: ["h"],
        kind: "Holder",
        listKind: "HolderList",
        categories: ["all"],
      },
      storedVersions: ["v1"],
    });
  });

  test("need no second write", () => {
    expect(establishedStatus(embeds, [embeds], "2027-01-01T00:00:00Z")).toBeUndefined();
  });

  test("may be those of a definition in another group", () => {
    expect(acceptNames(definition({ plural: "embeds", kind: "Embed" }, "other.com"), [embeds]).areAccepted).toBe(true);
  });
});

// As in kube-apiserver, with the definition of embeds there.
describe("names that another definition of the group has", () => {
  test.each<[string, JsonObject, string, string, JsonObject]>([
    [
      "kind and short name",
      { plural: "embeds2s", kind: "Embed", shortNames: ["embeds"], categories: ["all"] },
      "ListKindConflict",
      '"EmbedList" is already in use',
      { plural: "embeds2s", kind: "", categories: ["all"] },
    ],
    [
      "list kind and two short names",
      { plural: "xembeds", kind: "Xembed", shortNames: ["embeds", "embed", "ok"], listKind: "EmbedList" },
      "ListKindConflict",
      '"EmbedList" is already in use',
      { plural: "xembeds", singular: "xembed", kind: "Xembed" },
    ],
    [
      "two short names",
      { plural: "xembeds", kind: "Xembed", shortNames: ["embeds", "embed", "ok"] },
      "ShortNamesConflict",
      '["embeds" is already in use, "embed" is already in use]',
      { plural: "xembeds", singular: "xembed", kind: "Xembed", listKind: "XembedList" },
    ],
    [
      "singular",
      { plural: "yembeds", kind: "Yembed", singular: "embeds" },
      "SingularConflict",
      '"embeds" is already in use',
      { plural: "yembeds", kind: "Yembed", listKind: "YembedList" },
    ],
  ])("%s", (_, names, reason, message, acceptedNames) => {
    const status = establishedStatus(definition(names), [embeds], time);
    expect(status?.["acceptedNames"]).toEqual(acceptedNames);
    expect(status?.["conditions"]).toEqual([
      { type: "NamesAccepted", status: "False", lastTransitionTime: time, reason, message },
      {
        type: "Established",
        status: "False",
        lastTransitionTime: time,
        reason: "NotAccepted",
        message: "not all names are accepted",
      },
    ]);
  });

  test("do not take the API away from a definition that was established before", () => {
    const changed = {
      ...embeds,
      spec: definition({ plural: "embeds", kind: "Embed", shortNames: ["h"] })["spec"] ?? {},
    };
    const holders = establish(definition({ plural: "holders", kind: "Holder", shortNames: ["h"] }));
    const { conditions, acceptedNames } = acceptNames(changed, [embeds, holders]);
    expect(conditions.map(({ type, status }) => [type, status])).toEqual([
      ["NamesAccepted", "False"],
      ["Established", "True"],
    ]);
    expect(acceptedNames["shortNames"]).toBeUndefined();
  });
});
