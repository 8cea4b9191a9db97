// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useMemo, useRef } from "react";
import type { FleetCluster } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { useKey } from "../../frame/keys.ts";
import { Choice } from "../../parts/choice.tsx";
import styles from "./fleet-controls.module.css";
import { fleetFields } from "./fleet-filter.ts";
import type { FleetSearch } from "./fleet-search.ts";
import { fieldWords } from "./group-header.tsx";

/** Filter, grouping, order and density of the list. */
export function FleetControls({
  search,
  clusters,
  onChange,
}: {
  readonly search: FleetSearch;
  readonly clusters: readonly FleetCluster[];
  readonly onChange: (some: FleetSearch) => void;
}): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  useKey("/", "Filter the list", () => input.current?.focus());
  useKey("v", "Tiles or table", () => onChange({ as: search.as === "table" ? undefined : "table" }));
  const labels = useMemo(() => listLabels(clusters), [clusters]);
  const fields = [...fleetFields, ...labels.map((name) => `label:${name}`)];
  const toOption = (field: string): { value: string; label: string } => ({ value: field, label: fieldWords(field) });
  return (
    <search className={styles["controls"]}>
      <input
        ref={input}
        className={styles["filter"]}
        type="search"
        placeholder="Filter: name, state:stale, region:eu, -label:team:blue"
        aria-label="Filter clusters"
        value={search.filter ?? ""}
        onChange={({ target }) => onChange({ filter: target.value === "" ? undefined : target.value })}
        onKeyDown={({ key }) => {
          if (key === "Escape") input.current?.blur();
        }}
      />
      <Choice
        label="Group by"
        value={search.group ?? "region"}
        options={[{ value: "none", label: "nothing" }, ...fields.map(toOption)]}
        onChoose={(group) => onChange({ group: group === "region" ? undefined : group, folded: undefined })}
      />
      <Choice
        label="Order"
        value={search.sort ?? "worst"}
        options={[
          { value: "worst", label: "worst first" },
          { value: "name", label: "name" },
          { value: "objects", label: "objects" },
          { value: "lag", label: "lag" },
          ...fields.map(toOption),
        ]}
        onChoose={(sort) => onChange({ sort: sort === "worst" ? undefined : sort, down: undefined })}
      />
      <div className={styles["density"]} role="group" aria-label="Density">
        <button type="button" aria-pressed={search.as !== "table"} onClick={() => onChange({ as: undefined })}>
          Tiles
        </button>
        <button type="button" aria-pressed={search.as === "table"} onClick={() => onChange({ as: "table" })}>
          Table
        </button>
      </div>
    </search>
  );
}

/** Labels of at least one cluster, most common first; a menu has room for some twenty. */
function listLabels(clusters: readonly FleetCluster[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { labels } of clusters)
    for (const name of Object.keys(labels)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .sort(([a, aCount], [b, bCount]) => bCount - aCount || (a < b ? -1 : 1))
    .slice(0, 20)
    .map(([name]) => name);
}
