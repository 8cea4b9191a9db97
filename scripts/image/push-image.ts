// SPDX-License-Identifier: Apache-2.0
import { type ImageName, parseImageName } from "../../src/model/image-name.ts";
import { ImageError } from "./image-error.ts";
import type { Image } from "./oci-image.ts";
import { Registry } from "./registry.ts";
import { findCredential } from "./registry-credential.ts";

/**  */
export interface PushOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Called with one line for each step. */
  readonly say: (line: string) => void;
}

/** Parses the name to push to. Throws an ImageError if it is not a name, or has a digest. */
export function parsePushTarget(text: string): ImageName {
  const name = parseImageName(text);
  if (name !== undefined && name.digest === undefined) return name;
  throw new ImageError(
    `${JSON.stringify(text)} is not a name to push to, such as registry.example.com/flotilla:1.2.3.`,
    { isUsage: true },
  );
}

/**
 * Pushes every architecture and then the index, under the tag of the name (default `latest`). The tag moves last, so
 * that an incomplete image is never pulled. A push after an interrupted one skips stored blobs. Returns the name with
 * its digest. Throws an ImageError.
 */
export async function pushImage(image: Image, name: ImageName, { env, say }: PushOptions): Promise<string> {
  const registry = new Registry(name, findCredential(name.registry, env));
  for (const { architecture, config, layers, manifest } of image.platforms) {
    for (const [at, blob] of [...layers, config].entries()) {
      const part = at < layers.length ? `layer ${at + 1} of ${layers.length}` : "configuration";
      const size = `${(blob.descriptor.size / 1e6).toFixed(1)} MB`;
      say(`${architecture}: ${part}, ${size}`);
      if (!(await registry.putBlob(blob))) say(`${architecture}: ${part} already exists`);
    }
    await registry.putManifest(manifest);
  }
  const tag = name.tag ?? "latest";
  await registry.putManifest(image.index, tag);
  return `${name.registry}/${name.path}:${tag}@${image.index.descriptor.digest}`;
}
