/** Reads the sources of the API by the TypeScript compiler: doc comments, and JSON schemas of the types that routes return. */
import { join, sep } from 'node:path';
import ts from 'typescript';
import type { JsonSchema } from '../../api/src/http/validation/schemas';
import { stringFormat, isDecimal } from './conventions';

const ROOT_FILES = ['apps/api/src/app.module.ts', 'apps/openapi/src/error-bodies.ts'];

/** A method of a controller. */
export interface Handler {
  summary: string;
  description: string;
  /** The alternatives of the result, as schemas. A dry run's has `dry_run: true`. Empty if the route has no body. */
  results: { schema: JsonSchema; isDryRun: boolean }[];
  parameters: HandlerParameter[];
}

/** A parameter of a handler: its decorator and the name of its type. */
export interface HandlerParameter {
  decorator: string;
  typeName: string;
}

export class Source {
  /** Schemas of the types that have a name, by the name that the description gives them. */
  readonly components: Record<string, JsonSchema> = {};
  private readonly checker: ts.TypeChecker;
  private readonly classes = new Map<string, ts.ClassDeclaration>();
  private readonly interfaces = new Map<string, ts.InterfaceDeclaration>();
  private readonly named = new Map<string, ts.Type>();

  /** @param root The directory of the repository. */
  constructor(root: string) {
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
    const { options } = ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, root);
    const program = ts.createProgram({
      rootNames: ROOT_FILES.map((file) => join(root, file)),
      options: { ...options, noEmit: true, incremental: false, tsBuildInfoFile: undefined, types: [] },
    });
    this.checker = program.getTypeChecker();
    const ours = `${root.split(sep).join('/')}/apps/`;
    for (const file of program.getSourceFiles()) {
      if (!file.fileName.startsWith(ours) || file.isDeclarationFile) continue;
      ts.forEachChild(file, (node) => {
        if (ts.isClassDeclaration(node) && node.name) this.classes.set(node.name.text, node);
        if (ts.isInterfaceDeclaration(node)) this.interfaces.set(node.name.text, node);
      });
    }
  }

  /** The source's description of a method of a controller. @throws Error if its doc comment or its result type is missing. */
  handler(className: string, method: string): Handler {
    const where = `${className}.${method}`;
    const declaration = this.class(className).members.find((member) => ts.isMethodDeclaration(member) && member.name.getText() === method);
    if (!declaration || !ts.isMethodDeclaration(declaration)) throw new Error(`${where} is not a method.`);
    const [summary = '', ...rest] = this.commentOf(declaration, where).split('\n\n');
    const signature = this.checker.getSignatureFromDeclaration(declaration);
    const type = signature && this.checker.getAwaitedType(signature.getReturnType());
    if (!type) throw new Error(`${where} has no result type.`);
    const alternatives = type.isUnion() ? type.types : [type];
    return {
      summary: summary.replaceAll('\n', ' ').replace(/\.$/, ''),
      description: rest.map((paragraph) => paragraph.replaceAll('\n', ' ')).join('\n\n'),
      results: alternatives
        // A stream has another media type, which `@Answers` names.
        .filter((each) => (each.flags & (ts.TypeFlags.Void | ts.TypeFlags.Undefined)) === 0 && each.symbol?.name !== 'StreamableFile')
        .map((each) => ({ schema: this.schemaOf(each, where), isDryRun: each.getProperty('dry_run') !== undefined })),
      parameters: declaration.parameters.flatMap((parameter) =>
        (ts.getDecorators(parameter) ?? []).map(({ expression }) => ({
          decorator: ts.isCallExpression(expression) ? expression.expression.getText() : '',
          typeName: parameter.type?.getText() ?? '',
        })),
      ),
    };
  }

  /** The doc comments of the fields of a class, also of those that it inherits. */
  fieldComments(className: string): Map<string, string> {
    const declaration = this.classes.get(className);
    const [base] = declaration?.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)?.types ?? [];
    const comments = base ? this.fieldComments(base.expression.getText()) : new Map<string, string>();
    for (const member of declaration?.members ?? []) {
      const comment = docOf(this.checker, member).replaceAll('\n', ' ');
      if (comment !== '') comments.set(member.name?.getText() ?? '', comment);
    }
    return comments;
  }

  /** The schema of an interface, inline. */
  interfaceSchema(name: string): JsonSchema {
    const declaration = this.interfaces.get(name);
    if (!declaration) throw new Error(`There is no interface ${name}.`);
    return this.objectSchema(this.checker.getTypeAtLocation(declaration), name);
  }

  /** The names of the types of an interface's members: `{ 'transfer.settled': 'TransferSettledData' }`. */
  memberTypes(name: string): Record<string, string> {
    const declaration = this.interfaces.get(name);
    if (!declaration) throw new Error(`There is no interface ${name}.`);
    const members = declaration.members.filter((member) => ts.isPropertySignature(member));
    return Object.fromEntries(members.map((member) => [memberName(member), member.type?.getText() ?? '']));
  }

  private class(name: string): ts.ClassDeclaration {
    const found = this.classes.get(name);
    if (!found) throw new Error(`The source of class ${name} was not found.`);
    return found;
  }

  private commentOf(node: ts.Node, where: string): string {
    const comment = docOf(this.checker, node);
    if (comment === '')
      throw new Error(
        `${where} has no doc comment. Write one above its decorators: its first sentence is the summary in docs/openapi.json.`,
      );
    return comment;
  }

  private schemaOf(type: ts.Type, where: string, member = ''): JsonSchema {
    // Any JSON value: the type refers to itself.
    if (type.aliasSymbol?.name === 'Json') return {};
    if (type.isUnion()) return this.unionSchema(type, where, member);
    // Generators of clients drop what has no type, and know enums of one value better than constants.
    if (type.isStringLiteral()) return { type: 'string', enum: [type.value] };
    if (type.isNumberLiteral()) return { type: 'integer', enum: [type.value] };
    if (type.flags & ts.TypeFlags.BooleanLiteral) return { type: 'boolean' };
    if (type.flags & ts.TypeFlags.String) return { type: 'string', ...stringFormat(member) };
    if (type.flags & ts.TypeFlags.Number) return { type: isDecimal(member) ? 'number' : 'integer' };
    if (type.flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    if (type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return {};
    if (this.checker.isArrayType(type)) {
      const [item] = this.checker.getTypeArguments(type as ts.TypeReference);
      return { type: 'array', items: item ? this.schemaOf(item, where, member) : {} };
    }
    if (type.flags & ts.TypeFlags.NonPrimitive) return { type: 'object', additionalProperties: true };
    if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return this.namedOrInline(type, where);
    throw new Error(`${where}: ${this.checker.typeToString(type)} of ${member} has no JSON schema. Give it a type of JSON.`);
  }

  private unionSchema(union: ts.UnionType, where: string, member: string): JsonSchema {
    const types = union.types.filter((type) => (type.flags & ts.TypeFlags.Undefined) === 0);
    const isNullable = types.some((type) => type.flags & ts.TypeFlags.Null);
    const rest = types.filter((type) => (type.flags & ts.TypeFlags.Null) === 0);
    if (rest.every((type) => type.flags & ts.TypeFlags.BooleanLiteral) && rest.length === 2)
      return nullable({ type: 'boolean' }, isNullable);
    if (rest.length > 1 && rest.every((type) => type.isStringLiteral()))
      return nullable({ type: 'string', enum: rest.map((type) => (type.isStringLiteral() ? type.value : '')).sort() }, isNullable);
    // The compiler orders a union by the order in which it first met its members.
    const schemas = rest.map((type) => this.schemaOf(type, where, member)).sort(byText);
    const [only] = schemas;
    return only && schemas.length === 1 ? nullable(only, isNullable) : nullable({ oneOf: schemas }, isNullable);
  }

  /** A reference for an interface, which becomes a component; the schema itself for a type without a name. */
  private namedOrInline(type: ts.Type, where: string): JsonSchema {
    const symbol = type.aliasSymbol ?? type.getSymbol();
    const isInterface = symbol?.declarations?.some((each) => ts.isInterfaceDeclaration(each)) ?? false;
    if (!symbol || !isInterface || symbol.name === 'Record') return this.objectSchema(type, where);
    const [argument] = type.aliasSymbol ? [] : this.checker.getTypeArguments(type as ts.TypeReference);
    const name = `${argument ? componentName(argument.getSymbol()?.name ?? '') : ''}${componentName(symbol.name)}`;
    const known = this.named.get(name);
    if (known && known !== type) throw new Error(`${where}: two types have the name ${name}. Rename one of them.`);
    if (!known) {
      this.named.set(name, type);
      const description = ts.displayPartsToString(symbol.getDocumentationComment(this.checker));
      this.components[name] = { ...(description !== '' && { description }), ...this.objectSchema(type, name) };
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  private objectSchema(type: ts.Type, where: string): JsonSchema {
    const values = this.checker.getIndexInfoOfType(type, ts.IndexKind.String);
    const members = this.checker.getPropertiesOfType(type);
    const properties = members.map((member): [string, JsonSchema] => {
      const description = docText(member, this.checker);
      const schema = this.schemaOf(this.checker.getTypeOfSymbol(member), where, member.name);
      return [member.name, { ...(description !== '' && { description }), ...schema }];
    });
    const required = members.filter((member) => (member.flags & ts.SymbolFlags.Optional) === 0).map((member) => member.name);
    const more = values && this.schemaOf(values.type, where);
    return {
      type: 'object',
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(required.length > 0 && { required }),
      ...(more && { additionalProperties: Object.keys(more).length === 0 ? true : more }),
    };
  }
}

/** The name of a type in the description: without the suffixes that tell classes and interfaces of the code apart. */
export function componentName(name: string): string {
  return name.replace(/(Dto|View)$/, '');
}

function byText(one: JsonSchema, other: JsonSchema): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

function nullable(schema: JsonSchema, isNullable: boolean): JsonSchema {
  if (!isNullable) return schema;
  if (schema.oneOf) return { oneOf: [...schema.oneOf, { type: 'null' }] };
  if (typeof schema.type !== 'string') return { oneOf: [schema, { type: 'null' }] };
  return { ...schema, type: [schema.type, 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) };
}

function memberName(member: ts.PropertySignature): string {
  return ts.isStringLiteral(member.name) ? member.name.text : member.name.getText();
}

function docText(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll('\n', ' ');
}

function docOf(checker: ts.TypeChecker, node: ts.Node): string {
  const symbol = 'name' in node && checker.getSymbolAtLocation(node.name as ts.Node);
  return symbol ? ts.displayPartsToString(symbol.getDocumentationComment(checker)) : '';
}
