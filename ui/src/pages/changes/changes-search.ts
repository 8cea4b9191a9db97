// SPDX-License-Identifier: Apache-2.0

/** Filters of the changes as typed: names separated by spaces or commas; left out: all. */
export interface ChangesSearch {
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
  readonly kind?: string | undefined;
}

export function parseChangesSearch(search: Readonly<Record<string, unknown>>): ChangesSearch {
  const text = (name: string): string | undefined => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? value.slice(0, 500) : undefined;
  };
  return { cluster: text("cluster"), namespace: text("namespace"), kind: text("kind") };
}

/** The filters in wire form. */
export function toChangesView({ cluster, namespace, kind }: ChangesSearch): {
  clusterIds: string[];
  namespaces: string[];
  resources: string[];
} {
  return { clusterIds: names(cluster), namespaces: names(namespace), resources: names(kind) };
}

function names(text = ""): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== "");
}
