// SPDX-License-Identifier: Apache-2.0
import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";

/**
 * The link of a tile or line to its cluster, beside the list as it is. One of the router's own works out its address at every draw and follows every
 * navigation, which hundreds that change twice a second cannot afford; this one is told what is in the address.
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
  /** What stands in the address behind the path: "" or "?...". */
  readonly searchText: string;
  readonly className: string;
  readonly children: ReactNode;
}): ReactNode {
  const router = useRouter();
  const open = (event: MouseEvent): void => {
    // Another tab or window is the browser's to open.
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
