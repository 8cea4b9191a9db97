// SPDX-License-Identifier: Apache-2.0
import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";

/**
 * The link of a tile or line to its cluster. A router link computes its address at every render and follows every
 * navigation, which is too slow for hundreds that change twice a second; this one gets the address as a prop.
 */
export function ClusterLink({
  id,
  state,
  isChosen,
  searchText,
  className,
  children,
}: {
  readonly id: string;
  readonly state: string;
  readonly isChosen: boolean;
  /** The search part of the address: "" or "?...". */
  readonly searchText: string;
  readonly className: string;
  readonly children: ReactNode;
}): ReactNode {
  const router = useRouter();
  const open = (event: MouseEvent): void => {
    // The browser opens other tabs and windows.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate({ to: "/clusters/$name", params: { name: id }, search: (before) => before });
  };
  return (
    <a
      href={`${router.basepath}/clusters/${encodeURIComponent(id)}${searchText}`}
      className={className}
      data-cluster={id}
      data-state={state}
      aria-current={isChosen ? "true" : undefined}
      onClick={open}
    >
      {children}
    </a>
  );
}
