import { NoValueLanguage } from "./grammar.ts";

/** Participles in all genders and numbers, by their stems. */
const forms = (stems: string, endings: string): string => `(${stems.replace(/\s+/g, "")})(${endings})`;

const FRENCH = new NoValueLanguage({
  not: "non|pas|pas encore",
  no: "aucun|aucune|aucuns|aucunes|pas de|pas d'|nul|nulle",
  without: "sans",
  given: `${forms(
    `renseign|communiqu|precis|specifi|indiqu|determin|defini|fourn|connu|publi|attribu|trouv|declar|enregistr|mentionn|assign|
     saisi|dat|fix|identifi|list|report|document|divulgu|repertori`,
    "e|ee|es|ees|i|ie|is|ies|u|ue|us|ues|s|",
  )}|disponibles?|applicables?|concernee?s?|transmise?s?|connue?s?|definie?s?|fournie?s?|inscrite?s?|remplie?s?|recue?s?|saisie?s?|a ce jour`,
  thing: `donnees?|informations?|infos?|renseignements?|valeurs?|resultats?|entrees?|enregistrements?|adresse|
    telephone|numero|fax|telecopie|e-?mails?|courriel|mail|site|site (web|internet)|date|nom|montant|prix|description|
    proprietaire|detail|details|precisions?|indications?|mentions?|objet|reponses?|avis|image|photo|photos|
    commentaires?|coordonnees|contact|fiche`,
  kind: "autres?|nouvelles?|nouveau|plus|actuelle|valide|d'",
  missing: `manque|indisponible|indisponibles|
    ${forms("manquant|absent|inconnu|indetermine|indefini|inexistant", "|e|s|es")}`,
  is: "est|sont|a ete|ont ete|n'est|ne sont|n'a|n'a ete|n'ont|n'ont ete|le|la|les|l'|cette|ces|ce",
  when: `encore|actuellement|pour le moment|pour l'instant|a ce jour|a ce stade|en ligne|temporairement|ici|
    publiquement|momentanement`,
  about: "sur|de|du|des|pour|concernant|relatives? a",
  later: "a|sera|seront|bientot|en cours|prochainement|en attente",
  announced: `venir|preciser|determiner|definir|confirmer|communiquer|completer|renseigner|annoncer|fixer|valider|
    (bientot )?${forms("communiqu|precis|annonc|confirm|complet|publi|determin", "e|ee|es|ees")}( ulterieurement| prochainement)?|
    disponible|de (saisie|traitement|mise a jour|definition|validation|determination)|
    d'(actualisation|evaluation|attribution)|d'information|de (confirmation|donnees|communication)`,
  sentences: `n.c|n. c|nc|n/c|nr|n.r|n/r|n.d|nd|n/d|s.o|s. o|s/o|n.s.p|nsp|ne sait pas|inconnu|inconnue|aucun|aucune|
    neant|sans objet|vide|rien|n'est pas disponible|n'est pas renseigne|n'existe pas|ne s'applique pas|bientot|
    prochainement|bientot disponible|a venir|pas connu|non concerne|non dispo|indispo|sans reponse|pas renseigne`,
});

const SPANISH = new NoValueLanguage({
  not: "no|aun no|todavia no|no se ha|no se han|no ha sido|no esta|no estan",
  no: "ningun|ninguna|ningunos|no hay|no existe|no existen|no se encontraron|no se encontro|no tiene|no posee|sin",
  without: "sin",
  given: `${forms(
    `disponible|aplicable|indicad|informad|especificad|registrad|definid|determinad|conocid|proporcionad|facilitad|consignad|publicad|asignad|encontrad|declarad|
     senalad|detallad|precisad|suministrad|reportad|anunciad|confirmad|establecid|introducid|rellenad|cargad|divulgad|identificad|mencionad|
     localizad|ingresad|completad|notificad|fijad|actualizad|fechad|citad|comunicad|listad`,
    "o|a|os|as|s|",
  )}|consta|constan|figura|figuran|aplica|aplican|procede|corresponde|registra|registran|indica|indican|informa|existe|disp.`,
  thing: `datos?|informacion|informaciones|info|registros?|valor|valores|resultados?|entradas?|direccion|domicilio|
    telefono|numero|fax|correo|correo electronico|e-?mail|web|pagina web|sitio web|fecha|nombre|importe|monto|precio|
    descripcion|propietario|titular|detalles?|respuesta|imagen|imagenes|fotos?|especificar|definir|determinar|asignar|
    confirmar|indicar|informar|registrar|precisar|rellenar|completar|comentarios|contacto|anotaciones|observaciones|
    referencia|opiniones|antecedentes`,
  kind: "mas|otros?|otras?|ningun|ninguna|suficientes?|nuevos?",
  missing: `falta|faltan|faltante|faltantes|ausente|ausentes|inexistente|inexistentes|se desconoce|se desconocen|
    se ignora|${forms("desconocid|indeterminad|indefinid", "o|a|os|as")}`,
  is: "es|esta|estan|fue|ha sido|han sido|se ha|se han|el|la|los|las|se|este|esta|lo|no|su|hay",
  when: `aun|todavia|actualmente|por el momento|por ahora|de momento|temporalmente|en linea|publicamente|a la fecha|
    hasta la fecha|en este momento|ya`,
  about: "de|del|sobre|para|acerca de|respecto",
  later: "por|a|pendiente|pendiente de|proximamente|se|sera|en breve|en",
  announced: `
    (definir|confirmar|determinar|anunciar|especificar|asignar|establecer|concretar|convenir|informar|indicar|completar|designar|precisar|publicar|fijar)|
    (definicion|confirmacion|asignacion|determinacion|publicacion)|
    (anunciara|confirmara|informara|comunicara|publicara|definira)( proximamente| en breve)?|disponible|breve|tramite|
    espera|comunicad[oa]|anunciad[oa]|confirmad[oa]`,
  sentences: `s/d|s.d|sd|s/i|s.i|n/d|n.d|nd|n/c|n.c|nc|n/s|ns/nc|n.r|desconocido|desconocida|ninguno|ninguna|vacio|
    no aplica|no procede|no consta|no hay|no existe|no tiene|no disp|no disponible|proximamente|en breve|por definir|
    sin mas|no sabe|no contesta|no se sabe|no se conoce|no se dispone|a convenir|en blanco`,
});

const ITALIAN = new NoValueLanguage({
  not: "non|non ancora|non e|non sono|non e stato|non e stata|mai",
  no: "nessun|nessuno|nessuna|nessun'|non c'e|non ci sono|non vi sono|niente",
  without: "senza|privo di|priva di",
  given: `${forms(
    `disponibil|applicabil|indicat|specificat|comunicat|pervenut|not|conosciut|definit|determinat|fornit|inserit|registrat|dichiarat|presen|pubblicat|assegnat|
     precisat|rilevat|trovat|impostat|previst|compilat|reperit|reperibil|rilevabil|riportat|stabilit|segnalat|attribuit|documentat|dat|confermat|
     identificat|noti|ricevut|elencat|valorizzat|acquisit|censit|datat|rinvenut|menzionat`,
    "o|a|i|e|te|ti|he|",
  )}|si applica|risulta|risultano|pertinente|pertinenti|noto|nota|noti|note|disp.|disp`,
  thing: `dat[oi]|informazion[ei]|info|valor[ei]|risultat[oi]|voc[ei]|registrazion[ei]|indirizzo|recapito|recapiti|
    telefono|numero|fax|e-?mail|posta elettronica|mail|pec|sito|sito (web|internet)|data|nome|importo|prezzo|
    descrizione|proprietario|intestatario|dettagli[oi]?|indicazion[ei]|immagin[ei]|foto|risposta|contatt[oi]|
    recension[ei]|note|specifiche|occorrenz[ae]`,
  kind: "altr[oaie]|ulterior[ei]|alcun[oa]?|nuov[oaie]|maggior[ei]",
  missing: `manca|mancano|inesistente|inesistenti|${forms("mancant|assent|indisponibil|irreperibil", "e|i")}|
    ${forms("sconosciut|ignot|indeterminat|indefinit", "o|a|i|e")}`,
  is: "e|sono|e stat[oaie]|sono stat[ie]|il|la|lo|i|gli|le|l'|questo|questa|risulta|risultano",
  when: `ancora|attualmente|al momento|per ora|per il momento|momentaneamente|temporaneamente|ad oggi|online|
    pubblicamente|in questo momento|qui`,
  about: "su|sul|sulla|sui|di|del|della|per|relativ[ei] a|riguardo",
  later: "da|in|in fase di|prossimamente|sara|in attesa|in attesa di|in corso di|a breve",
  announced: `
    (definire|definirsi|comunicare|confermare|stabilire|determinare|precisare|specificare|assegnare|concordare|compilare|annunciare|inserire|completare|individuare|nominare|pubblicare)|
    (arrivo|definizione|aggiornamento|attesa|corso|lavorazione|preparazione)|
    (conferma|definizione|comunicazione|assegnazione|dati|informazioni|aggiornamento)|disponibil[ei]|
    ${forms("comunicat|annunciat|confermat|pubblicat", "o|a|i|e")}`,
  sentences: `n.d|nd|n/d|n.p|n/p|n.c|nc|n/c|n.r|n.a|n.s|s.d|ignoto|ignota|sconosciuto|sconosciuta|nessuno|nessuna|
    niente|nulla|vuoto|vuota|assente|non pervenuto|non si applica|prossimamente|a breve|in arrivo|n.pervenuto|
    non disp|non so|da def|da def.|n. d`,
});

const PORTUGUESE = new NoValueLanguage({
  not: "nao|ainda nao|nao foi|nao foram|nao esta|nao ha",
  no: "nenhum|nenhuma|nenhuns|nenhumas|nao ha|nao existe|nao existem|nao foram encontrados|sem|nao possui|nao tem",
  without: "sem",
  given: `${forms(
    `informad|especificad|definid|determinad|indicad|registrad|cadastrad|declarad|divulgad|publicad|preenchid|encontrad|conhecid|fornecid|atribuid|localizad|
     identificad|anunciad|confirmad|inserid|estabelecid|listad|detalhad|constad|mencionad|citad|reportad|apurad|comunicad|disponibilizad|
     cadastrad|apresentad|datad|obtid|avaliad`,
    "o|a|os|as",
  )}|disponivel|disponiveis|aplicavel|aplicaveis|consta|constam|se aplica|se aplicam|ha|existe|existem|possui|tem|informa|disp.`,
  thing: `dados?|informacao|informacoes|info|registros?|registos?|valor|valores|resultados?|entradas?|endereco|morada|
    telefone|numero|fax|e-?mail|site|pagina|data|nome|montante|preco|descricao|proprietario|titular|detalhes?|
    resposta|imagem|imagens|fotos?|contato|contacto|observacoes|cadastro|indicacao|definicao|previsao|especificacao|
    comentarios|avaliacoes`,
  kind: "mais|outros?|outras?|nenhum|nenhuma|qualquer|novos?",
  missing: `falta|faltam|faltando|faltante|ausente|ausentes|indisponivel|indisponiveis|inexistente|inexistentes|
    em falta|em branco|${forms("desconhecid|indeterminad|indefinid|ignorad", "o|a|os|as")}`,
  is: "e|esta|estao|foi|foram|o|a|os|as|este|esta|se|ser|ainda|sao",
  when: `ainda|atualmente|actualmente|no momento|de momento|por enquanto|ate o momento|ate a data|temporariamente|
    online|publicamente|neste momento|aqui`,
  about: "de|do|da|dos|das|sobre|para|a respeito",
  later: "a|por|sera|serao|em breve|em|a ser|aguardando",
  announced: `
    (definir|confirmar|determinar|anunciar|especificar|informar|designar|indicar|combinar|divulgar|preencher|consultar|apurar|completar)|
    ${forms("definid|confirmad|anunciad|divulgad|informad|determinad|comunicad|publicad", "o|a|os|as")}( em breve)?|
    (breve|definicao|atualizacao|analise|branco)|disponivel|(informacao|informacoes|confirmacao|dados|definicao)`,
  sentences: `s/d|s.d|s/i|s.i|n/d|n.d|nd|n/c|n.c|n/i|n.i|nenhum|nenhuma|vazio|em branco|nao consta|nao se aplica|
    nao ha|nao tem|nao possui|nao existe|em breve|brevemente|sem inf|sem inf.|nao disp|nao inf|nao inf.|ns/nr|
    nao sabe|a combinar`,
});

export const ROMANCE = [FRENCH, SPANISH, ITALIAN, PORTUGUESE];
