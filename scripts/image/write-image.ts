// SPDX-License-Identifier: Apache-2.0
// Writes an image as files: an OCI layout with all architectures, and one archive per architecture that docker, podman
// and containerd can load.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Blob, type Descriptor, type Image, mediaTypes, type PlatformImage } from "./oci-image.ts";
import { type TarEntry, writeTar } from "./tar.ts";

const layoutFile = { name: "oci-layout", text: JSON.stringify({ imageLayoutVersion: "1.0.0" }) };

function blobPath({ digest }: Descriptor): string {
  return `blobs/${digest.replace(":", "/")}`;
}

function blobsOf({ config, layers, manifest }: PlatformImage): readonly Blob[] {
  return [config, ...layers, manifest];
}

/**
 * The file index.json with one entry. containerd reads the name from the first annotation; other runtimes read the
 * second, which is only a tag.
 */
function indexJson(descriptor: Descriptor, name: string): string {
  const tag = name.slice(name.lastIndexOf(":") + 1);
  const annotations = { "io.containerd.image.name": name, "org.opencontainers.image.ref.name": tag };
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: [{ ...descriptor, annotations }],
  });
}

/** Writes the layout into a folder, which is replaced once the new one is complete. */
export function writeLayout(folder: string, image: Image, name: string): void {
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(partial, path)), { recursive: true });
    writeFileSync(join(partial, path), content);
  };
  for (const { descriptor, bytes } of [...image.platforms.flatMap(blobsOf), image.index])
    write(blobPath(descriptor), bytes);
  write(layoutFile.name, layoutFile.text);
  write("index.json", indexJson(image.index.descriptor, name));
  rmSync(folder, { recursive: true, force: true });
  renameSync(partial, folder);
}

/**
 * An archive of one architecture: an OCI layout with an additional manifest.json, for docker versions without OCI
 * support.
 */
export function createArchive(platform: PlatformImage, name: string): Buffer {
  const file = (path: string, bytes: Buffer): TarEntry => ({ path, type: "file", mode: 0o644, bytes });
  const forDocker = [
    {
      Config: blobPath(platform.config.descriptor),
      RepoTags: [name],
      Layers: platform.layers.map(({ descriptor }) => blobPath(descriptor)),
    },
  ];
  return writeTar([
    ...blobsOf(platform).map(({ descriptor, bytes }) => file(blobPath(descriptor), bytes)),
    file(layoutFile.name, Buffer.from(layoutFile.text)),
    file("index.json", Buffer.from(indexJson(platform.manifest.descriptor, name))),
    file("manifest.json", Buffer.from(JSON.stringify(forDocker))),
  ]);
}
