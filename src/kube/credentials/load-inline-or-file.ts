// SPDX-License-Identifier: Apache-2.0
import type { Material } from "./cluster-access.ts";
import { readBounded } from "./read-bounded.ts";

/** 1 MiB: a bundle of every public root certificate has 220 KiB. */
export const materialBoundBytes = 1024 * 1024;

/** The text of a material. A file is read each time, so that a replaced one applies from the next connection on. */
export async function loadMaterial(material: Material): Promise<string> {
  return material.kind === "inline" ? material.text : await readBounded(material.path, materialBoundBytes);
}
