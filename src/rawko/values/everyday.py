"""How common a word is in everyday English, so that a small library need not guess it from a handful of memories.

The list has the 3,000 most common stems, the most common first: their shares in web pages, in film subtitles and in an
encyclopedia, averaged. By Zipf's law the rank alone says how often a word is met. The little words of some other
languages are known as such, so that a memory in one of them is not about all that is said in it.
"""

from __future__ import annotations

import math
from functools import lru_cache

_RANKED = """
the of and to in you it on for that is thi with by wa be as not have me what at from your know ar no or do us my all an
new news he we go just hi but get about which were year so ha can time want right if more also will other like out well
their state here first up thei had look doc think see who http come oh now after make includ mai when been there two
work how her school our sai need home she onli good call take yeah back into help servic mean thing name would him over
did tell citi some unit world dure most talk nation got why dai ani product game thank find gener wai univers
realli list where page part plai could these inform site such then member follow than becaus between search feel free
happen book three team okai group under made area mani system ye pleas develop give post should music someth even peopl
let littl busi business gui live famili later film veri hei compani start person american record show try last commun
community second while said high too public through never ask provid number care locat season down design them hous
sure off releas base end wait chang man support south place much known found intern international befor manag date
order line great gonna view friend war keep both program thought believ move review report north rate set open life doe
govern counti form stop histori sorri put price still oper mayb contact top each plan offic result howev anyth origin
god leav born sinc album night educ listen seri kid read run again final local differ next meet best sever several
those return own becam perform featur better build stai job district kill power check question against car point
problem complet earli ag student art bui turn sign lot activ same club receiv around noth minut cours big link author
authoriz until hotel januari understand studi item awai countri current refer hand offer total colleg ever case associ
term rememb messag hope love room project video must award station song real present four event parti serv research
continu kind fine hear save told publish everyth miss appear forc phone organ career interest avail creat march alwai
requir head shop region law babi hour ship watch web store relat learn pictur town close major control elect within
join file singl produc special park pm hold polici mind titl act popul onlin actual health everi click worri type sound
wonder deal septemb issu boi word idea guess caus east level seem leagu june comment direct york air girl train main am
larg church juli import important bad posit positive walk reason wrong band octob send movi togeth market user todai
anoth collect small becom matter decemb protect depart network sport respons responsive note women old detail island
stori board nice might face water class novemb side data effect father august process write presid possibl without
reserv version select polit done children industri els figur full model addit left centuri won answer mail hurt engin
land allow huh river lead happi bring son account consid villag road establish technolog sex enough stand email comput
track card natur custom customer mom marri dad pai whole discuss wish someon men came travel began subject visit month
articl court pick expect win repres suppos five alreadi woman english section applic hate condit institut period street
late drive sale hard british due remain held map ey human trust photo re forum share februari secur probabl edit sit
break death languag practic imag yourself million central address non scienc along size cover former went week fact per
third took initi accord hell respect contain container promis standard offici increas yet center although saw sourc
built rule copyright memori categori construct resourc add divis field profession code hit pretti director onc match
compar print di gift accept knew properti paper limit social download cost medic beauti announc wed exampl function
quit command begin valu heart connect suggest council tonight advanc chanc administr artist excus test often readi
finish parent heard describ popular regist score privaci forget brother true fight stuff recent seen step short notic
role sleep sir fall cultur info critic drop light sort window involv myself given media near experi experience specif
cut morn drink object dead softwar rang food credit individu hmm promot tabl german tour lose content bodi clear coupl
jan websit box host press option star armi guid hospit french least exactli among charg radio eat fund speak rest ad
race bit soon surpris assist alon truth championship speci pull door common few societi hot san style feder handl trade
anyon honei access concern easi materi ladi fun mine realiz ago charact six apart murder exist reach execut low western
format touch lost resid carri advertis damn union drug averag red sell usual improv updat sister particip gone attack
similar tool past decid replac franc either document danc histor gotta space bed wife variou child corpor structur
televis index abl anywai agre militari previou written wear player hang further rock anim cup california cell clean
invit kiss shall appoint definit librari dress explain perfect enter independ de wanna text led cool far sometim moment
propos sens topic vote plant spend scare bank claim consist celebr front committe legal australia fix though lake
except insur magazin centr remov method suppli descript futur depend econom suit imagin england situat less insid tri
enjoi everyon european success attend round manufactur dream decis prepar daughter safe bar shot qualiti measur confer
ebai choic stock risk rout profil indic india ring modern crazi transport ground competit request breath long pass
contract electron tomorrow stage cloth somebodi quot femal rais pain recommend gave archiv bye push throw warn
relationship equip financi treat goal investig galleri abov ticket purchas black upon almost repli appli commit half
displai distribut letter wide paint honor statu commiss entertain fill estat camera piec china prove rank absolut pack
ass copi thu royal staff northern shut appreci graduat anymor internet tradit coach observ emerg mention mistak comfort
journal separ mobil hair determin integr degre jump die dinner digit count remind directori teach below introduc action
voic dog civil trip bet germani contribut festiv licens instal husband blood physic commerci arriv opportun privat
leader behind express southern wow patient wrote partner afraid lock attempt fail fast wast seat battl glad combin mess
ride apolog fire channel beat minist solut deserv episod texa funni capit shoot teen everybodi facil gold transfer
outsid europ loan kick schedul entir convers normal impress roll basic male shoe grow energi attract packag achiev mr
burn upset brand museum sick sea detect municip lower occur tape thread blame purpos prefer bother technic blog altern
taken campaign studio gun railwai annual christma goe kingdom consult excel none judg approv seriou prison white blow
excit port admit affect whoa ten client shit across assum incom evid hundr retir hide choos feed belong agent fit
invest laugh amount benefit reduc relax identifi provinc compet amaz anybodi catch hire met garden destroi cross agenc
lawyer correct tire approach brought arrang joke japan fair loss ahead debut ruin household mark tax australian assign
defeat doubt constitut tree alright statement self prevent regard marriag suffer owner indian payment defend block
chart estim arm arrest conduct favor launch nurs thousand toward speed earn adopt defin whether grand approxim squar
unless agreement throughout broadcast sponsor middl maintain adult himself canadian sweet camp disappear felt wake
implement via surviv regul seller translat challeng floor chief nobodi la fault movement dollar accessori financ guest
screen extens pretend wit environ progress extend vallei smell li eastern server john especi screw restaur knock seven
senior stick bai switch mouth eventu doubl rather foundat instruct assembl cart convinc sonni signific cold influenc
gain fool censu airport conserv doctor foreign largest higher sent dear japanes effort besid africa label convert load
exchang compos forgiv forward instrument cancel quick worth sing tip sold russian exhibit instead primari poor writer
crime daddi terribl engag monei mission meant examin ow ic accus pressur organis global spell cd coast grade equal grab
aliv intend length mile explor programm vehicl deliv recogn photograph confirm farm nativ daili guard fear analysi
accid complex crane submit luck adapt regular longer straight opinion confid liber democrat trick admir tast spot
republ angel weird academi entri argu carli boat damag concentr lie grant prior chair certainli treatment interview
twenti novel reflect guarante trial bridg affili lyric log confus threaten chines editor lord shirt interact ignor
perhap obtain wors lo soul african declar wind latest skill freak mount theori rent frame employe attent athlet anywher
demon eight respond numer smart deliveri dark west confess governor despit plu draw canada worker inspir rel calm refus
avoid qualifi nomin smile mechan huge wing saint divorc weight escap classic devic cast factor peac extra surfac feet
elev professor italian diseas swear ireland resist gai demand dump theatr chat evil flight particular kei advic safeti
pc youth toi cheat tournament somewher volum holidai jen disappoint consum attornei decor statist electr aid heat error
poker interrupt affair danger steal premier territori spanish birthdai academ assess collabor obvious slip expand
overal clinic mad mountain embarrass warm util appropri potenti subsequ ooh feedback aircraft kitchen iron procedur
yahoo reveal background calcul varieti kept notabl legisl motiv candid multipl convent suspect survei ly itself bill
secretari lunch complic certain contest olymp chapter flow immedi theme hole expens mid termin terminal america audio
stress transit duti fourth deni demonstr cooper impact wire element percent punish weather architectur shape senat paid
knowledg welcom bore drag fashion fax shock pool databas witch incred whose tear rental mysteri crash reform settl
compon domain weekend adjust distanc forgot zone deep slow scene certif secret negoti sake metal corner consider plane
surround innoc sweetheart earth cheap enabl subscrib firm trap shown captur monitor itali growth till dude highwai dec
anti bottl brows ear mix ridg crack repeat defens plot bath encourag strang graphic discount accommod machin
environment pari amend pacif donat concept discov newspap evalu wine typic deriv attach wrap darl restor crimin cathol
capabl april lack interpret older protest wash blue zealand congratul color navig appar saturdai bomb boyfriend emot
actor string login larger rise skin highest medal nile caught cabl strategi signal compil intent folk agricultur awar
prai abil insist visual assur cannot necessari depress fiction kidnap peak foot jail yesterdai idiot lift boss skip
transform medicin session pregnant fri mar therefor preserv girlfriend breakfast ensur symbol manipul honest calendar
plate difficult pound draft dedic broke illustr hook sheridan button bag wound fortun lectur intellig uniqu predict
task lesson pleasur comic retail charm bug sight aunt blind fake yard expert teacher yell nose bust borrow obsess fort
previous prime bid coordin correspond cook chip modifi pop hill hurri scale empti shift valid flash sentenc asian famou
solv formal religi distract ran nail domin profit auction otherwis congress audit cute password advis pocket incorpor
footbal target fell mass wave tough appeal afford volunt bedroom weapon navi platform quarter talent border newslett
bottom seek spring disturb adventur possess violat bought techniqu net greater young exercis acquir phoeb opposit proud
extrem proof victim neither christian advantag earlier enhanc tower regret frequent motor greek fan upper particularli
restrict pattern queen abus threat desper pennsylvania edg protein sector ridicul reject princip disabl bear ii
themselv sampl batteri mode basi angri ident king broken singer spain rural glass argument poster parliament quiet pair
jersei menu remark bare nine whom afternoon directli basketbal divid coloni rape tech al herself infect spent modul
focu classifi oct shower colour speech auto cop favorit visitor heal concert repair frasier co brief gotten budget
fresh distinct unfortun focus campu balanc injuri deposit sun gather phase panel buri kinda shake weak spread pro capac
dare serious economi nov mari vari elimin friendli township cycl nbsp intens chain creation cream clock creek cake id
fee worst urban rain inch templ bathroom conflict wild london bite twin freez clip coat castl composit thursdai mental
neck teenag joint telephon convict soviet retain sequenc jerk doll emploi orient circl recruit desk biographi mommi
surgeri piss alcohol tortur prize temperatur sustain asia leg beyond ohio permiss simpli stare thirti fuck accomplish
uncl cristian humili literatur moral washington greenle oblig chemic outdoor specifi pill permit logo horribl smoke
summari revis decad ador beach punch consequ porn essenti citizen bike imposs mirror romant flag green butt ministri
heavi introduct pump script satisfi hero mostli alert faculti enterpris settlement traffic storag matur highli configur
occupi delai rail parish crap rare arab birth root alli sweeti alarm polish innov scheme attribut wale fifti resort
occup flower principl height manner stuck aim recov latin crowd irish automat resolut scientif drunk variabl wheel
religion troop easier exclus nearli patch effici stream avenu wednesdai trail vacat realiti columbia split tank guilti
mmm enemi shoulder worldwid buck debat revers virtual fuel pic stadium export abandon vice mama abstract debt chairman
trace poll path upgrad immigr recreat mate republican thrill printer betrai climb plenti pilot upstair declin quickli
extern prioriti recal ancient interfac destin antiqu insult pure contemporari addict holi somehow crush david jax sneak
harm suck pour column trash portion expos finger mayor invent bargain bail core reader buffi jack hardwar illinoi
strength miracl zero stake mother divers chocol forest perman maximum mood politician oppos nois feb filter offens
remot steel struggl twice pant neg whip sep tail gentlemen vega linux promin complain rough jacket motion sensit
frighten driver troubl dy trademark scream chloe coincid nervou acid regiment domest founder furnitur fish era meal
crown poland provis moder exhaust spare roof unknown flat loos ceremoni conclus nearbi aw tag bowl multi wireless cheer
gang jewish recip desir fruit conveni suddenli rafe membership leadership drama mathemat familiar cure resign therapi
bleed crew enforc opera tend casino aspect controversi mortgag scratch microsoft railroad master secondari neighbor ti
seed descend logic output snap britain alien cash closer minor illeg st sheet behavior meter fulli pet fifth passeng
slide wreck soft cri optim curs oil incid comedi tune plain billion audienc nude gear unlik tight aug strip spin
circumst circuit recept ocean ration headquart toast occas hungri cent uniform jazz confront clearli dish ourselv
attitud registr climat wander stamp flip accompani partnership dealer dynam magic headlin keyword lesbian bird spoil
renew mainli branch destruct lone fleet clue medium lodg chase airlin truli perfectli milk input corp diet fly apr
dirti fridai react factori counsel depict vocal explan toss alter crawl distinguish spirit nightmar solid certifi
blackmail honour bone offend obviou wipe shame fellow inhabit failur nut cry buyer bind explos layer goodbi median plug
goddamn silli soldier densiti counter mask veget greet instinct mortal reput onto weekli forti spill entitl highlight
knee simul william musician chop dutch expans psycholog bound throat devot labour stink sooner smaller exit frustrat
bush bump pine testifi combat creep islam healthi beg satellit characterist colonel prohibit disgust sweat sandwich
biggest stretch impli drown primarili brain iran suprem float stabil latter narrow champion hardli jealou worship asset
skye revenu kong workshop judgment massachusett nerv iraq ontario equival reward pipe emperor constitu palm livvi
patent grate sudden bake conclud inject equat prayer jul costum scan jame forrest bigger shine spiritu acknowledg funer
lip outta pitch sundai slept drum golf philippin belt cave bride disc brush laboratori alleg liar fals gosh genu
browser gate context meat overview compris ugli compromis tone muslim fanci teeth jun liter amus disput grill dispos
cite philosophi mondai habit juri landscap whenev fantast honestli precis minimum spoke stab bibl exact leas yellow
nuclear stole rehears swing fold twist reaction rose renam dismiss annoi ultim zip poem squadron harmoni charter chill
segment prais goin revolut behav genet ethic relev rotat ideal toler michael coin experienc rear decreas presenc
interior routin harass rugbi georg elector preced inde fascin philadelphia florida fella recoveri bless bond simpl
ethnic closet strateg solo paul fate googl wall custodi robert blast tick justifi boot proceed mill pacei icon speaker
unbeliev dive deputi hint soni outfit mainten salem instanc pardon cigarett comprehens romanc twelv hall massag soil
fulfil prosecut retriev kit frequenc sock boundari journalist chest consol cape allianc testimoni disast contrast
terrif terrifi favourit suicid elig easili stat architect terror flatter lifetim margin ought everywher minnesota sink
depth lung whoever substitut pose anonym netherland enrol inherit supplement stroke dozen geograph atlant pathet dust
starv warrant reviv photographi merg miser asleep korea dock vulner poison deck metr explod friendship isol signatur
tongu piti resent cater sail reliabl pursu viru trend towel deleg semi shove reliev commonli bureau mini interrog
scholar tale prue scottish tuesdai glove shave threw hors optic collaps faith sexual fuckin puzzl thin creatur refresh
haunt loud heritag alloc formerli grown transact brave personnel cousin buzz slap nope eas wisconsin reli cancer
forgotten acceler perspect knife paramet scientist oregon rapid parallel breed dimens actress fifteen fame encount
substanti strike pin minim privileg venu inspect labor scam winner garag seal fenc resolv squeez genr vessel urg migrat
weigh superior coverag interfer palac compliment nowher grandfath comparison imperi specul drill delet viki honeymoon
advoc cruis agenda nikola humor tribe resum compens swim brilliant mere puls anger bout eras stir monument pride
resembl wood stomach differenti toilet com melt assert radar consolid shortli grew dumb newli anytim notifi exploit
deacon naval intersect spit rope cemeteri straighten quantiti vision miner orchestra rip handsom polic temper rome tini
rack pile proper grandmoth doin discoveri salt maryland sweden chamber cap assault enlarg bend eur extract scar bloodi
champagn symptom egg pregnanc slightli enchant expedit hesit poet ventur chosen backup seduc facilit inn atom radiat
recognit row devast experiment desert manual habitat canon disagre mall magnet gram geographi rat invas proce silver
commerc monthli missouri poetri tropic shrink chef greatest tess currenc tennesse ahem cabin protocol stall asid
delight loop unusu steam represent physician corrupt serial shout irrit amen partial thanksgiv carbon journei homepag
exam ordin slam dine northwest tube taught communist creativ orbit waitress investor authent shelter harder headach
realis compound mexican thick stalk mon reduct
"""
_ELSEWHERE = """
der die das den dem des ein eine einen einem einer und oder aber nicht kein keine ist sind wird werden wurde haben
kann soll muss fur auf von vom zum zur bei beim nach aus uber unter wenn dass weil wie wer auch noch nur schon sehr
mehr als im ich wir ihr sich dieser diese dieses sein ihre le la les de du un une et ou mais ne pas est sont sera etre
fait pour par sur dans avec sans sous que qui dont ce cet cette ces il elle nous vous je se sa ses leur plus tres
comme quand au aux en el los las del una y o pero son fue ser esta este esto para por con sin sobre entre quien como
cuando donde su sus lo mas muy al um uma e nao foi isso sem quem seu sua na nos nas ao aos muito tambem gli di della
dei delle uno ma non sono per senza sul sulla tra che chi dove si suo nel nella alla piu molto anche da dal het een
maar niet zijn wordt voor van aan naar uit dat ook nog anch cett comm dan dell dies dond entr etr nou plu sobr sou tre
vou wurd
"""
_TEXT = 10.0
"""What a text of some hundred words holds of the most common word of all, spread over the ranks below it."""
_UNKNOWN = 6000
_LITTLE = 50
"""About the rank of a little word of another language among all texts."""


@lru_cache(maxsize=1)
def elsewhere() -> frozenset[str]:
    """Little words of German, French, Spanish, Portuguese, Italian and Dutch: without accents, and in plain form."""
    return frozenset(_ELSEWHERE.split())


@lru_cache(maxsize=1)
def _ranks() -> dict[str, int]:
    usual = dict.fromkeys(elsewhere(), _LITTLE)
    return usual | {word: rank for rank, word in enumerate(_RANKED.split(), 1)}


def is_common(term: str) -> bool:
    """Whether this is a word of everyday language."""
    return term in _ranks()


def chance(term: str) -> float:
    """How likely a text of a hundred words has this term, whatever the text is about."""
    ranks = _ranks()
    return 1 - math.exp(-_TEXT / ranks.get(term, _UNKNOWN))
