// SPDX-License-Identifier: Apache-2.0
import type { PlacedRow } from "../relations/visible-cluster.ts";
import { normaliseMessage } from "./normalise-message.ts";
import { failedImage, groupedReason, isImageReason, type ProblemSignature } from "./problem-signature.ts";

/** The part of a signature that a row has by itself. */
export type RowCause = Omit<ProblemSignature, "template">;

/** What rows of one cluster report, computed once for rows with the same texts: those have the same object. */
export class RowCauses {
  readonly #causes = new Map<string, RowCause>();
  /** Whether a reason is about an image, by its id. */
  readonly #imageReasons = new Map<number, boolean>();

  of(placed: PlacedRow): RowCause {
    const { table, row } = placed;
    const reasonId = table.reasonIdOf(row);
    const isImage = this.#imageReasons.get(reasonId) ?? isImageReason(table.reasonOf(row));
    this.#imageReasons.set(reasonId, isImage);
    const containers = isImage
      ? `${table.listNumber(row, "initContainers")} ${table.listNumber(row, "containers")}`
      : "";
    const key = `${table.number} ${reasonId} ${table.messageIdOf(row)} ${containers}`;
    const known = this.#causes.get(key);
    if (known !== undefined) return known;
    const cause = causeOf(placed);
    this.#causes.set(key, cause);
    return cause;
  }
}

function causeOf(placed: PlacedRow): RowCause {
  const { table, row } = placed;
  const image = failedImage(placed);
  return {
    resource: table.resource,
    kind: table.kind,
    reason: groupedReason(table.reasonOf(row)),
    message: image === "" ? normaliseMessage(table.messageOf(row)) : "",
    image,
  };
}
