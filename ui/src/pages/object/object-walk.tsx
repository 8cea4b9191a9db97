// SPDX-License-Identifier: Apache-2.0
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useKey } from "../../frame/keys.ts";
import { type ObjectAddress, stepObject, toObjectParams } from "./object-address.ts";
import { type ObjectLinkPage, objectRoutes } from "./object-link.tsx";

/**
 * While mounted, j and k open the next and the previous object of a list. They replace the history entry, so "back"
 * leads to the list.
 */
export function ObjectWalk({
  list,
  open,
  beside,
  onStep,
}: {
  readonly list: readonly ObjectAddress[];
  readonly open: ObjectAddress;
  readonly beside: ObjectLinkPage;
  /** Called with the opened object. */
  readonly onStep?: (address: ObjectAddress) => void;
}): ReactNode {
  const navigate = useNavigate();
  const step = (by: number): void => {
    const next = stepObject(list, open, by);
    if (next === undefined) return;
    const to = objectRoutes[beside];
    void navigate({ to, params: toObjectParams(next), search: (before) => before, replace: true });
    onStep?.(next);
  };
  useKey("j", "Next object", () => step(1));
  useKey("k", "Previous object", () => step(-1));
  return null;
}
