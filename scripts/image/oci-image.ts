// SPDX-License-Identifier: Apache-2.0
// Documents of an image according to the OCI image specification (https://github.com/opencontainers/image-spec):
// configuration, manifest, index.
import { createHash } from "node:crypto";
import { dataFolder, userId } from "./base-layer.ts";
import type { Architecture } from "./base-packages.ts";
import type { Layer } from "./layers.ts";

export const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;

/** A reference to a document or layer. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os: "linux"; readonly architecture: Architecture };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A blob with its descriptor. */
export interface Blob {
  readonly descriptor: Descriptor;
  readonly bytes: Buffer<ArrayBuffer>;
}

/** The image of one architecture. */
export interface PlatformImage {
  readonly architecture: Architecture;
  readonly config: Blob;
  readonly layers: readonly Blob[];
  readonly manifest: Blob;
}

/** An image for several architectures. */
export interface Image {
  readonly platforms: readonly PlatformImage[];
  readonly index: Blob;
}

/** The image's metadata. */
export interface ImageFacts {
  readonly version: string;
  readonly description: string;
  readonly licence: string;
  /** The source commit; undefined outside of a clone. */
  readonly revision: string | undefined;
  /** Creation time of the image, in seconds since 1970. */
  readonly createdSeconds: number;
}

function toBlob(bytes: Buffer<ArrayBuffer>, mediaType: string, more: Partial<Descriptor> = {}): Blob {
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  return { bytes, descriptor: { mediaType, digest, size: bytes.length, ...more } };
}

function toJsonBlob(value: unknown, mediaType: string, more: Partial<Descriptor> = {}): Blob {
  return toBlob(Buffer.from(JSON.stringify(value)), mediaType, more);
}

/** The documents of one architecture. Deterministic: the same layers and facts give the same bytes. */
export function createPlatformImage(
  architecture: Architecture,
  layers: readonly Layer[],
  facts: ImageFacts,
): PlatformImage {
  const created = new Date(facts.createdSeconds * 1000).toISOString();
  const config = toJsonBlob(
    {
      created,
      architecture,
      os: "linux",
      config: {
        User: `${userId}:${userId}`,
        Env: ["PATH=/usr/bin", `HOME=/${dataFolder}`, `FLOTILLA_DATA_DIR=/${dataFolder}`],
        Entrypoint: ["/usr/bin/flotilla"],
        Cmd: ["help"],
        WorkingDir: `/${dataFolder}`,
        Labels: labelsOf(facts),
        StopSignal: "SIGTERM",
      },
      rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
      history: layers.map(({ title }) => ({ created, created_by: title })),
    },
    mediaTypes.config,
  );
  const blobs = layers.map(({ blob }) => toBlob(blob, mediaTypes.layer));
  const manifest = toJsonBlob(
    {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: config.descriptor,
      layers: blobs.map(({ descriptor }) => descriptor),
      annotations: labelsOf(facts),
    },
    mediaTypes.manifest,
    { platform: { os: "linux", architecture } },
  );
  return { architecture, config, layers: blobs, manifest };
}

/** The index over the manifests of all architectures; a tag points to it. */
export function createImage(platforms: readonly PlatformImage[], facts: ImageFacts): Image {
  const index = toJsonBlob(
    {
      schemaVersion: 2,
      mediaType: mediaTypes.index,
      manifests: platforms.map(({ manifest }) => manifest.descriptor),
      annotations: labelsOf(facts),
    },
    mediaTypes.index,
  );
  return { platforms, index };
}

function labelsOf({ version, description, licence, revision }: ImageFacts): Readonly<Record<string, string>> {
  return {
    "org.opencontainers.image.title": "Flotilla",
    "org.opencontainers.image.description": description,
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.licenses": licence,
    ...(revision === undefined ? {} : { "org.opencontainers.image.revision": revision }),
  };
}
