// SPDX-License-Identifier: Apache-2.0
import { useParams, useRouter, useRouterState } from "@tanstack/react-router";
import { type MouseEvent, type ReactNode, useEffect, useRef } from "react";
import { type ObjectAddress, objectKey, objectPath, parseObjectParams, toObjectParams } from "./object-address.ts";

/** The routes of objects, by the list beside which they open. */
export const objectRoutes = {
  cluster: "/clusters/$name/objects/$resource/$",
  changes: "/changes/objects/$name/$resource/$",
} as const;
export type ObjectLinkPage = keyof typeof objectRoutes;

/** State shared by the links of a list, computed once for all of them. */
export interface LinkLook {
  readonly beside: ObjectLinkPage;
  /** The open object, if any. */
  readonly open: ObjectAddress | undefined;
  readonly openKey: string | undefined;
  /** The search part of the address: "" or "?...". */
  readonly searchText: string;
}

/** The current state for the links of a list. */
export function useLinkLook(beside: ObjectLinkPage): LinkLook {
  const open = parseObjectParams(useParams({ strict: false }));
  const searchText = useRouterState({ select: ({ location }) => location.searchStr });
  return { beside, open, openKey: open && objectKey(open), searchText };
}

/**
 * A row's link to its object, beside the row's list. Regains the focus when its object is closed. Not a router link,
 * because a list has hundreds.
 */
export function ObjectLink({
  address,
  beside,
  isOpen,
  searchText,
  className,
  children,
}: {
  readonly address: ObjectAddress;
  readonly beside: ObjectLinkPage;
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
    // In the feed an object has many lines; the feed scrolls to the right one itself.
    if (isOpen && beside === "cluster") link.current?.scrollIntoView({ block: "nearest" });
    // Only if the focus is not elsewhere.
    if (!isOpen && leftObject === key && document.activeElement === document.body) link.current?.focus();
  }, [router, key, isOpen, beside]);
  const openObject = (event: MouseEvent): void => {
    // The browser opens other tabs and windows.
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
