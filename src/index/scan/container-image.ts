// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../../kinds/fields.ts";

/** The image in the JSON of a container (KI7); undefined for any other text, which an agent may send. */
export function imageOfContainer(text: string): string | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return textOf(JSON.parse(text), "image") || undefined;
  } catch (reason) {
    if (reason instanceof SyntaxError) return undefined;
    throw reason;
  }
}
