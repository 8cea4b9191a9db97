// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { FieldReader } from "../../model/field-reader.ts";

/** One file of a backup. */
export interface ManifestFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * The contents of a backup and the time it was made. Format 1: hub.db, fleet.db, and with keys `keys`, `tls/ca.crt`,
 * `tls/ca.key`, or `keys.sealed` with all three (ST31).
 */
export interface BackupManifest {
  readonly format: 1;
  readonly version: string;
  readonly createdAt: string;
  readonly storeId: string;
  readonly revision: number;
  readonly files: readonly ManifestFile[];
}

/** Only names that we write: none can lead out of the folder. */
const fileName = /^(?!.*\.\.)[a-z0-9.-]+(?:\/[a-z0-9.-]+)?$/;

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** A backup has at most five files. */
const maxFileCount = 16;

/** Parses a manifest. Throws UNSUPPORTED_VERSION for an unknown format, STORE_FOREIGN for any other fault. */
export function parseManifest(text: string, file: string): BackupManifest {
  const fields = FieldReader.ofJson(text);
  const format = fields.integer("format", { min: 1 });
  if (format !== 1) {
    throw new FlotillaError(
      "UNSUPPORTED_VERSION",
      `${file} is of format ${format}, which this release does not read; use the release that wrote it`,
    );
  }
  const manifest: BackupManifest = {
    format,
    version: fields.requiredText("version"),
    createdAt: fields.requiredText("createdAt", isoTime),
    storeId: fields.requiredText("storeId"),
    revision: fields.integer("revision", { min: 0 }),
    files: fields.entries("files").map((each) => ({
      name: each.requiredText("name", fileName),
      bytes: each.integer("bytes", { min: 0 }),
      sha256: each.requiredText("sha256", /^[0-9a-f]{64}$/),
    })),
  };
  if (manifest.files.length === 0 || manifest.files.length > maxFileCount)
    fields.mistake("files", `must be a list of 1 to ${maxFileCount} files`);
  const problem = fields.problem(file);
  if (problem === undefined) return manifest;
  throw new FlotillaError("STORE_FOREIGN", `${problem}, so it is not the manifest of a backup`);
}
