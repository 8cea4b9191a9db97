// SPDX-License-Identifier: Apache-2.0
import { z } from "zod";
import { FlotillaError } from "../../base/error.ts";

// Only names that we write: none can lead out of the folder.
const fileSchema = z.object({
  name: z
    .string()
    .regex(/^[a-z0-9.-]+(?:\/[a-z0-9.-]+)?$/)
    .refine((name) => !name.includes("..")),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/**
 * Format 1: hub.db, fleet.db, and with keys `keys`, `tls/ca.crt`, `tls/ca.key`, or `keys.sealed` with all three (ST31).
 */
const manifestSchema = z.object({
  format: z.literal(1),
  version: z.string(),
  createdAt: z.iso.datetime(),
  storeId: z.string(),
  revision: z.int().nonnegative(),
  files: z.array(fileSchema).min(1).max(16),
});

export type ManifestFile = Readonly<z.infer<typeof fileSchema>>;

/** The contents of a backup and the time it was made. */
export type BackupManifest = Readonly<Omit<z.infer<typeof manifestSchema>, "files">> & {
  readonly files: readonly ManifestFile[];
};

/** Parses a manifest. Throws UNSUPPORTED_VERSION for an unknown format, STORE_FOREIGN for any other fault. */
export function parseManifest(text: string, file: string): BackupManifest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new FlotillaError("STORE_FOREIGN", `${file} is not the manifest of a backup`, { cause });
  }
  const format = z.object({ format: z.int() }).safeParse(json).data?.format;
  if (format !== undefined && format !== 1) {
    throw new FlotillaError(
      "UNSUPPORTED_VERSION",
      `${file} is of format ${format}, which this Flotilla does not read; use the release that wrote it`,
    );
  }
  const parsed = manifestSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new FlotillaError(
    "STORE_FOREIGN",
    `${file} is not the manifest of a backup: ${z.prettifyError(parsed.error).split("\n")[0] ?? ""}`,
    { cause: parsed.error },
  );
}
