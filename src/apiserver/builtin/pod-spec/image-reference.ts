// SPDX-License-Identifier: Apache-2.0
import { parseImageName } from "../../../model/image-name.ts";

/**
 * The tag of an image; `latest` if it has neither tag nor digest. Undefined for an image with a digest only, and for
 * text that is not an image name.
 */
export function imageTag(image: string): string | undefined {
  const name = parseImageName(image);
  if (name?.tag !== undefined) return name.tag;
  return name !== undefined && name.digest === undefined ? "latest" : undefined;
}

/** `Always` for the tag `latest`, which may move; otherwise `IfNotPresent`, also for text that is not an image name. */
export function defaultPullPolicy(image: string): "Always" | "IfNotPresent" {
  return imageTag(image) === "latest" ? "Always" : "IfNotPresent";
}
