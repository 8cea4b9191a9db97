// SPDX-License-Identifier: Apache-2.0
import { useParams, useRouter, useRouterState } from "@tanstack/react-router";
import { type MouseEvent, type ReactNode, useEffect, useRef } from "react";
import { type ObjectAddress, objectKey, objectPath, parseObjectParams, toObjectParams } from "./object-address.ts";

/** Where objects open, by the list that they open beside. */
export const objectRoutes = {
  cluster: "/clusters/$name/objects/$resource/$",
  changes: "/changes/objects/$name/$resource/$",
} as const;
export type ObjectPlace = keyof typeof objectRoutes;

/** What the links of a list have in common, so that it is worked out once for all of them. */
export interface LinkLook {
  readonly beside: ObjectPlace;
  /** The object that is open, if one is. */
  readonly open: ObjectAddress | undefined;
  readonly openKey: string | undefined;
  /** What stands in the address behind the path: "" or "?...". */
  readonly searchText: string;
}

/** How the links of a list look now. */
export function useLinkLook(beside: ObjectPlace): LinkLook {
  const open = parseObjectParams(useParams({ strict: false }));
  const searchText = useRouterState({ select: ({ location }) => location.searchStr });
  return { beside, open, openKey: open && objectKey(open), searchText };
}

/** A row's link to its object, beside the list that the row is of. It takes the focus back when its object is closed. No link of the router's, as a list has hundreds. */
export function ObjectLink({
  address,
  beside,
  isOpen,
  searchText,
  className,
  children,
}: {
  readonly address: ObjectAddress;
  readonly beside: ObjectPlace;
  readonly isOpen: boolean;
  readonly searchText: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}): ReactNode {
  const router = useRouter();
  const link = useRef<HTMLAnchorElement>(null);
  const key = objectKey(address);
  useEffect(() => {
    const { leftObject } = router.state.location.state;
    // In the feed an object has many lines, and which of them is meant is known there.
    if (isOpen && beside === "cluster") link.current?.scrollIntoView({ block: "nearest" });
    // Only where nobody has put the focus elsewhere.
    if (!isOpen && leftObject === key && document.activeElement === document.body) link.current?.focus();
  }, [router, key, isOpen, beside]);
  const openObject = (event: MouseEvent): void => {
    // Another tab or window is the browser's to open.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const to = objectRoutes[beside];
    void router.navigate({ to, params: toObjectParams(address), search: (before) => before });
  };
  return (
    <a
      ref={link}
      href={`${router.basepath}${objectPath(beside, address)}${searchText}`}
      className={className}
      aria-current={isOpen ? "true" : undefined}
      onClick={openObject}
    >
      {children}
    </a>
  );
}
