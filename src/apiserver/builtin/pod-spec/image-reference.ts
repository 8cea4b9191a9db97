// SPDX-License-Identifier: Apache-2.0
import { parseImageName } from "../../../model/image-name.ts";

/** The tag of an image, `latest` where neither tag nor digest is named; undefined where the tag does not count or the text is no image name. */
export function imageTag(image: string): string | undefined {
  const name = parseImageName(image);
  if (name?.tag !== undefined) return name.tag;
  return name !== undefined && name.digest === undefined ? "latest" : undefined;
}

/** `Always` for the tag latest, which may move; `IfNotPresent` for everything else, text that is no image name included. */
export function defaultPullPolicy(image: string): "Always" | "IfNotPresent" {
  return imageTag(image) === "latest" ? "Always" : "IfNotPresent";
}
