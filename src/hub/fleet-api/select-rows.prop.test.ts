// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkQuery } from "../../index/language/check-query.ts";
import { parseQuery } from "../../index/language/parse-query.ts";
import { holdsFor } from "../../index/scan/testing/holds-for.ts";
import { defaultKinds } from "../../kinds/all-kinds.ts";
import type { ColumnType } from "../../model/rows/row.ts";
import { matchesFields, parseFieldSelector } from "../../model/selectors/field-selector.ts";
import { type LabelRequirement, matchesLabels } from "../../model/selectors/label-selector.ts";
import { parseLabelSelector } from "../../model/selectors/label-selector-parse.ts";
import { statuses } from "../../model/status.ts";
import type { FoundFleetRow } from "../rows/fleet-queries.ts";
import { type FleetSelection, selectRows } from "./select-rows.ts";
import { toFoundRow } from "./testing/small-fleet.ts";

const columns = defaultKinds.flatMap((kind) => kind.columns);
const catalog = {
  findKind: (name: string) => [name],
  kindNames: [],
  columnTypes: (name: string): ReadonlySet<ColumnType> =>
    new Set(columns.filter((column) => column.name === name).map(({ type }) => type)),
  columnNames: [],
};

interface Place {
  readonly region: string;
  readonly environment: string;
}

/** Whether the query of a selection holds for a row, by the meaning of the query language. */
function isSelected({ text }: FleetSelection, { cluster, resource, row }: FoundFleetRow, place: Place): boolean {
  const { filter } = checkQuery(parseQuery(text), catalog, 0);
  return holdsFor(filter, { row, resource, fields: { cluster, ...place }, nowMs: 0 });
}

const labelValue = fc.constantFrom("", "a", "web", "in", "1.2", "x_y");
const key = fc.constantFrom("app", "in", "example.com/tier");
const labels = fc.dictionary(key, labelValue);
const cluster = fc.constantFrom("east", "west");
const placeName = fc.constantFrom("", "a", "web");
const anyPlace: fc.Arbitrary<Place> = fc.record({ region: placeName, environment: placeName });

/** Requirements on labels of objects and of the fleet, with values that they can have. */
const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  ...[
    [key, labelValue] as const,
    [fc.constantFrom("flotilla.dev/region", "flotilla.dev/environment"), labelValue] as const,
    [fc.constant("flotilla.dev/cluster"), fc.constantFrom("", "east", "west", "north")] as const,
    [fc.constant("flotilla.dev/status"), fc.constantFrom(...statuses)] as const,
  ].map(([keys, values]) =>
    fc.oneof(
      fc.record({
        operator: fc.constantFrom("in" as const, "notIn" as const),
        key: keys,
        values: fc.array(values, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ operator: fc.constantFrom("exists" as const, "notExists" as const), key: keys }),
    ),
  ),
);

test("[FA7] a label selector selects the rows that Kubernetes' selector matches, the fleet's labels included", () => {
  const anyRow = fc.record({ cluster, labels, status: fc.constantFrom(...statuses) });
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 4 }), anyRow, anyPlace, (selector, given, place) => {
      const found = toFoundRow({ ...given, name: "web-1" });
      const ofFleet = [
        ["flotilla.dev/cluster", given.cluster],
        ["flotilla.dev/region", place.region],
        ["flotilla.dev/environment", place.environment],
        ["flotilla.dev/status", given.status],
      ] as const;
      const all = new Map([...Object.entries(given.labels), ...ofFleet.filter(([, value]) => value !== "")]);
      const selected = selectRows({ resource: "pods", labels: selector, fields: [] });
      expect(isSelected(selected, found, place)).toBe(matchesLabels(selector, all));
    }),
    { numRuns: 500 },
  );
});

/** Any text that a field selector may hold, with the characters that the query language treats specially. */
const odd = fc
  .array(fc.constantFrom("a", "*", "?", "\\", '"', "'", " ", "(", ")", ",", "=", ":", "in", "é", "-", "@", "\n"), {
    maxLength: 6,
  })
  .map((parts) => parts.join(""));
const text = fc.oneof(odd, fc.constantFrom("", "Running", "node-1", "true", "false", "0", "3"));

const fieldsOf: Readonly<Record<string, (found: FoundFleetRow) => Readonly<Record<string, string>>>> = {
  pods: ({ row }) => ({
    "status.phase": String(row.columns.get("phase") ?? ""),
    "spec.nodeName": String(row.columns.get("node") ?? ""),
  }),
  events: ({ row }) => ({ reason: row.reason, "involvedObject.name": String(row.columns.get("objectName") ?? "") }),
  nodes: ({ row }) => ({ "spec.unschedulable": String(row.columns.get("unschedulable") === true) }),
  "batch/jobs": ({ row }) => ({ "status.successful": String(row.columns.get("succeeded") ?? 0) }),
};

test("[FA8] a field selector selects the rows that Kubernetes' selector matches, whatever characters it has", () => {
  const anyRow = fc.record({
    cluster,
    name: fc.oneof(odd, fc.constant("web-1")),
    namespace: fc.constantFrom("", "shop"),
    reason: text,
    columns: fc.record(
      {
        phase: text,
        node: text,
        objectName: text,
        unschedulable: fc.boolean(),
        succeeded: fc.integer({ min: 0, max: 3 }),
      },
      { requiredKeys: [] },
    ),
  });
  const requirements = fc.array(
    fc.record({
      at: fc.nat(),
      operator: fc.constantFrom("equals" as const, "notEquals" as const),
      value: fc.oneof({ weight: 2, arbitrary: text }, { weight: 1, arbitrary: fc.constant(undefined) }),
    }),
    { maxLength: 3 },
  );
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(fieldsOf)), anyRow, requirements, (resource, given, chosen) => {
      const found = toFoundRow({ ...given, resource });
      const values: Readonly<Record<string, string>> = {
        "metadata.name": given.name,
        "metadata.namespace": given.namespace,
        cluster: given.cluster,
        ...fieldsOf[resource]?.(found),
      };
      const names = Object.keys(values);
      // Half of the values are those of the row, so that requirements hold often.
      const selector = chosen.map(({ at, operator, value }) => {
        const field = names[at % names.length] ?? "";
        const own = values[field] ?? "";
        return { field, operator, value: field === "metadata.name" && value?.includes("@") ? own : (value ?? own) };
      });
      const selected = selectRows({ resource, labels: [], fields: selector });
      const place = { region: "", environment: "" };
      const isMatch = matchesFields(selector, (field) => values[field]);
      expect(isSelected(selected, found, place)).toBe(isMatch);
      const { namespace, name } = found.row;
      if (isMatch) expect(selected.canHave({ cluster: found.cluster, namespace, name })).toBe(true);
      if (selected.isByKey) expect(selected.canHave({ cluster: found.cluster, namespace, name })).toBe(isMatch);
    }),
    { numRuns: 500 },
  );
});

test("[FA6] NAME@CLUSTER selects that name in that cluster, and a name that has the @ itself", () => {
  const names = fc.constantFrom("web-1", "web-1@east", "a@b@east", "a@b", "@east", "web-1@");
  fc.assert(
    fc.property(names, names, cluster, (written, name, at) => {
      const found = toFoundRow({ cluster: at, name });
      const isNamed = name === written || `${name}@${at}` === written;
      const [byPath, byField] = [
        selectRows({ resource: "pods", namespace: "shop", name: written, labels: [], fields: [] }),
        selectRows({ resource: "pods", labels: [], fields: parseFieldSelector(`metadata.name=${written}`) }),
      ];
      for (const selected of [byPath, byField]) {
        expect(isSelected(selected, found, { region: "", environment: "" })).toBe(isNamed);
        expect(selected.canHave({ cluster: at, namespace: "shop", name })).toBe(isNamed);
      }
    }),
  );
});

test("[FA7, FA8] selectors that rows cannot answer are refused with what can be selected", () => {
  const select = (resource: string, label: string, field: string): FleetSelection =>
    selectRows({ resource, labels: parseLabelSelector(label), fields: parseFieldSelector(field) });
  expect(() => select("pods", "n>5", "")).toThrow("does not compare labels by > and <");
  expect(() => select("pods", "flotilla.dev/status=sick", "")).toThrow('"sick" is none of them');
  expect(() => select("pods", "", "spec.restartPolicy=Always")).toThrow(
    "field label not supported: spec.restartPolicy; of pods the fleet knows metadata.name, metadata.namespace, cluster, spec.nodeName",
  );
  expect(() => select("apps/deployments", "", "status.phase=Running")).toThrow("field label not supported");
  expect(() => select("pods", "", "toString=x")).toThrow("field label not supported");
  const many = Array.from({ length: 80 }, (_, at) => `${"v".repeat(55)}${at}`).join(",");
  expect(() => select("pods", `app in (${many})`, "")).toThrow("the selectors are too long");
});
