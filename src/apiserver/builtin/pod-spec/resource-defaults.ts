// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, getKey, objectAt, setKey } from "../../json/json.ts";
import { roundUpToMilli } from "./quantity-value.ts";

/** Rounds the quantities of a resource list up to thousandths. */
export function roundResourceList(list: DraftObject | undefined): void {
  if (list === undefined) return;
  for (const name of Object.keys(list)) {
    const amount = getKey(list, name);
    if (typeof amount === "string") setKey(list, name, roundUpToMilli(amount));
  }
}

/** Sets the defaults of a `resources` field. */
export function setResourceDefaults(resources: DraftObject | undefined): void {
  if (resources === undefined) return;
  roundResourceList(objectAt(resources, "limits"));
  roundResourceList(objectAt(resources, "requests"));
}
