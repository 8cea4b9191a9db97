// SPDX-License-Identifier: Apache-2.0
import type { Kind } from "../kind.ts";
import { appProjectKind } from "./app-project-kind.ts";
import { applicationKind } from "./application-kind.ts";
import { applicationSetKind } from "./application-set-kind.ts";

/** Argo CD's kinds. */
export const argoKinds: readonly Kind[] = [applicationKind, applicationSetKind, appProjectKind];
