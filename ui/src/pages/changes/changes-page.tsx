// SPDX-License-Identifier: Apache-2.0
import { Outlet, useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { useTitle, useView } from "../../app/page-context.ts";
import type { ViewRequest } from "../../link/link.ts";
import { changesFold } from "../../views/changes-fold.ts";
import { useLinkLook } from "../object/object-link.tsx";
import styles from "./changes-page.module.css";
import { type ChangesSearch, toChangesView } from "./changes-search.ts";
import { Feed } from "./feed.tsx";

/**
 * Recent and live changes of the fleet, newest first. The feed pauses while the viewer reads and shows how many changes
 * wait.
 */
export function ChangesPage(): ReactNode {
  const search = useSearch({ from: "/frame/changes" });
  const navigate = useNavigate();
  const wish = useMemo<ViewRequest>(() => ({ case: "changes", value: toChangesView(search) }), [search]);
  const shown = useView(wish, changesFold);
  const look = useLinkLook("changes");
  useTitle(look.open?.name ?? "Changes");
  const change = (some: ChangesSearch): void => {
    void navigate({ to: ".", search: (before) => ({ ...before, ...some }), replace: true });
  };
  return (
    <div className={`${styles["page"]} ${look.open === undefined ? "" : styles["split"]}`}>
      <section className={styles["changes"]} aria-label="Changes">
        <h1 className="hidden-text">Changes</h1>
        <search className={styles["filters"]}>
          <Filter name="cluster" label="Clusters" search={search} onChange={change} />
          <Filter name="namespace" label="Namespaces" search={search} onChange={change} />
          <Filter name="kind" label="Kinds, as pods, po or deploy.apps" search={search} onChange={change} />
        </search>
        {shown.kind === "loading" && <p className={styles["quiet"]}>Loading the changes.</p>}
        {shown.kind === "refused" && (
          <p role="alert" className={styles["quiet"]}>
            {shown.refusal.message}
          </p>
        )}
        {shown.kind === "shown" && <Feed fleetRows={shown.value} look={look} />}
      </section>
      <Outlet />
    </div>
  );
}

/** Delay after the last key before a filter applies: longer than between two keys, shorter than a noticeable wait. */
const pauseMs = 300;

/** A filter that applies while the viewer types (CL3). Each change is a new subscription, so it waits for a pause. */
function Filter({
  name,
  label,
  search,
  onChange,
}: {
  readonly name: keyof ChangesSearch;
  readonly label: string;
  readonly search: ChangesSearch;
  readonly onChange: (some: ChangesSearch) => void;
}): ReactNode {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (text: string): void => {
    clearTimeout(timer.current);
    if (text !== (search[name] ?? "")) onChange({ [name]: text === "" ? undefined : text });
  };
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      defaultValue={search[name] ?? ""}
      onChange={({ target }) => {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => apply(target.value), pauseMs);
      }}
      onBlur={({ target }) => apply(target.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}
