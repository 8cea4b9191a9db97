// SPDX-License-Identifier: Apache-2.0
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useKey } from "../../frame/keys.ts";
import { type ObjectAddress, stepObject, toObjectParams } from "./object-address.ts";
import { type ObjectPlace, objectRoutes } from "./object-link.tsx";

/** While it is shown, j and k open the next object of a list and the one before. They leave nothing behind for "back", which leads to the list. */
export function ObjectWalk({
  list,
  open,
  beside,
  onStep,
}: {
  readonly list: readonly ObjectAddress[];
  readonly open: ObjectAddress;
  readonly beside: ObjectPlace;
  /** Called with what is opened. */
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
  useKey("k", "Object before", () => step(-1));
  return null;
}
