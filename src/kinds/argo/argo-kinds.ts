// SPDX-License-Identifier: Apache-2.0
import type { Kind } from "../kind.ts";
import { appProjectKind } from "./app-project.ts";
import { applicationKind } from "./application.ts";
import { applicationSetKind } from "./application-set.ts";

/** Argo CD's kinds. */
export const argoKinds: readonly Kind[] = [applicationKind, applicationSetKind, appProjectKind];
