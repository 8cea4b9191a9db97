// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, textsAt } from "../../json/json.ts";

/** Adds the finalizer that keeps an object while other objects use it. */
export function addFinalizer(object: DraftObject, finalizer: string): void {
  const metadata = ensureObject(object, "metadata");
  const finalizers = textsAt(metadata, "finalizers");
  if (!finalizers.includes(finalizer)) metadata["finalizers"] = [...finalizers, finalizer];
}
