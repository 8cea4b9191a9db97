// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import { openCertificateFiles } from "../../rpc/tls/certificate-files.ts";
import type { CertificateSource } from "../../rpc/tls/certificate-source.ts";
import { openOwnCertificate } from "../../rpc/tls/hub-certificate.ts";
import type { ConfigOf } from "../config/option-table.ts";
import { hubHosts } from "./find-public-name.ts";

type CertificateConfig = Pick<ConfigOf<"hub">, "tlsCertFile" | "tlsKeyFile" | "publicUrl" | "hosts" | "address">;

/** The certificate of the files that the operator gives; otherwise the hub's own, kept in `folder`. */
export function openCertificate(
  config: CertificateConfig,
  { folder, clock, log }: { readonly folder: string; readonly clock: Clock; readonly log: Logger },
): Promise<CertificateSource> {
  const { tlsCertFile: certificateFile, tlsKeyFile: keyFile } = config;
  return certificateFile !== undefined && keyFile !== undefined
    ? openCertificateFiles({ certificateFile, keyFile, clock, log })
    : openOwnCertificate({ folder, names: hubHosts(config), clock, log });
}
