// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../../kinds/fields.ts";
import { parseImageName } from "../../model/image-name.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import { cutText } from "../../model/text.ts";
import { jsonElements } from "../relations/json-elements.ts";
import type { PlacedRow } from "../relations/visible-cluster.ts";

/** What objects of one problem have in common (PB3). */
export interface ProblemSignature {
  readonly resource: string;
  readonly kind: string;
  readonly reason: string;
  /** The name of the workload that made the objects; "" if there is none. */
  readonly template: string;
  /** Normalised; "" if the image is the problem. */
  readonly message: string;
  /** "" unless the reason is about an image. */
  readonly image: string;
}

/** Reasons for which the image is the problem, whichever workload runs it. */
const imageReasons: ReadonlySet<string> = new Set([
  "ImagePullBackOff",
  "ErrImagePull",
  "ErrImageNeverPull",
  "InvalidImageName",
  "ImageInspectError",
  "RegistryUnavailable",
  "SignatureValidationFailed",
]);

/** Bytes of an image in a signature: longer than any that container runtimes accept. */
const maxImageBytes = 512;

const encoder = new TextEncoder();

/** Whether the image is the problem. */
export function isImageReason(reason: string): boolean {
  return imageReasons.has(reason);
}

/** The reason under which objects are grouped. The kubelet alternates between these two while it retries. */
export function groupedReason(reason: string): string {
  return reason === "ErrImagePull" ? "ImagePullBackOff" : reason;
}

/** The image that a Pod's reason is about; "" if the reason is about no image, or the row does not name it. */
export function failedImage({ table, row }: PlacedRow): string {
  const reason = table.reasonOf(row);
  if (!imageReasons.has(reason)) return "";
  const containers = ["initContainers", "containers"].flatMap((column) => jsonElements(table.list(row, column)));
  const image = textOf(
    containers.find((each) => textOf(each, "reason") === reason),
    "image",
  );
  return image === undefined ? "" : cutText(withoutDigest(image), maxImageBytes);
}

/** The digest of an image with a tag does not identify it for a reader; that of one without a tag does, in short. */
function withoutDigest(image: string): string {
  const parsed = parseImageName(image);
  if (parsed?.digest === undefined) return image;
  const name = image.slice(0, image.indexOf("@"));
  const [algorithm = "", digits = ""] = parsed.digest.split(":");
  return parsed.tag === undefined ? `${name}@${algorithm}:${digits.slice(0, 12)}` : name;
}

/** The id of a problem: equal signatures have equal ids, also after a restart. 16 hexadecimal digits. */
export function problemId(signature: ProblemSignature, hasher: Hasher): string {
  const { resource, kind, reason, template, message, image } = signature;
  const text = JSON.stringify([resource, kind, reason, template, message, image]);
  return hasher.hash64(encoder.encode(text)).toString(16).padStart(16, "0");
}
